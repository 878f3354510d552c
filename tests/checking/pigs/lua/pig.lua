-- Pig, by me.
math.randomseed(os.time())
local points = 0
while true do
  io.write("Roll or hold? [r/h] ")
  local answer = io.read()
  if not answer then
    print()
    break
  end
  if answer == "h" then
    print("You keep " .. points .. ".")
    break
  end
  local roll = math.random(1, 6)
  if roll == 1 then
    print("You rolled 1: 0 points.\nA one costs you all your points.")
    break
  end
  points = points + roll
  print(("You rolled %d: %d points."):format(roll, points))
end
