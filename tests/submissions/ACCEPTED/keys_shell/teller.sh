#!/bin/bash
read -r -p "Opening balance: " balance
while true; do
    read -r -n 1 -p "Deposit, withdraw or close? [d/w/c] " command || break
    echo
    if [ "$command" = c ]; then
        break
    fi
    read -r -p "Amount: " amount
    if [ "$command" = d ]; then
        balance=$((balance + amount))
    elif [ "$amount" -gt "$balance" ]; then
        echo "Not enough money."
        continue
    else
        sleep 1
        echo "Please count your money."
        balance=$((balance - amount))
    fi
    echo "Balance: $balance €"
done
echo "Closing balance: $balance €"
