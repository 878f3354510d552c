"""Programs that use the timers, tasks and clocks of their language: each delay is a pause of that length, at its place.

A few programs contain all features, since a start of a runtime takes most of the time of a session.
"""

import subprocess

import pytest

from pitboss.model.invocation import Script, script_of_lines
from pitboss.model.transcript import Paused, Shown, Typed, exited
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.programs import Program
from pitboss.sessions.tracing.driver import TracingDriver
from pitboss.submissions.dotnet import sdk_here
from tests import built

#: For each feature the statements that use it, after its name has been printed, and what then follows: a number is a
#: pause in milliseconds, a text is a printed line.
CSHARP = {
    "text": ('int x = 3; string s = $"{x} {new Card(4)}"; Console.WriteLine(s);', "3 Card { Rank = 4 }"),
    "Delay": ("await Task.Delay(1500);", 1500),
    "Delay().Wait": ("Task.Delay(700).Wait();", 700),
    "WhenAll": ("await Task.WhenAll(Task.Delay(300), Task.Delay(1200), Task.Delay(600));", 1200),
    "WhenAny": ("await Task.WhenAny(Task.Delay(400), Task.Delay(90000));", 400),
    "PeriodicTimer": (
        "using (var t = new PeriodicTimer(TimeSpan.FromMilliseconds(250))) for (int i = 0; i < 3; i++)"
        ' { await t.WaitForNextTickAsync(); Console.WriteLine("tick"); }',
        *(250, "tick") * 3,
    ),
    "Timers.Timer": (
        "using (var e = new ManualResetEventSlim()) using (var t = new System.Timers.Timer(800))"
        " { t.AutoReset = false; t.Elapsed += (a, b) => e.Set(); t.Start(); e.Wait(); }",
        800,
    ),
    "Threading.Timer": (
        "using (var e = new AutoResetEvent(false)) using (var t = new Timer(_ => e.Set(), null, 500, 200))"
        ' for (int i = 0; i < 3; i++) { e.WaitOne(); Console.WriteLine("tick"); }',
        *(500, "tick", 200, "tick", 200, "tick"),
    ),
    "CancellationTokenSource": (
        "using (var c = new CancellationTokenSource(TimeSpan.FromSeconds(2))) try { await Task.Delay(-1, c.Token); }"
        ' catch (OperationCanceledException) { Console.WriteLine("cancelled"); }',
        *(2000, "cancelled"),
    ),
    "Parallel.For": (
        "long sum = 0; Parallel.For(0, 1000, i => Interlocked.Add(ref sum, i)); Console.WriteLine(sum);",
        "499500",
    ),
    "channel": (
        "var c = System.Threading.Channels.Channel.CreateUnbounded<int>(); var p = Task.Run(async () => {"
        " for (int i = 0; i < 2; i++) { await Task.Delay(350); await c.Writer.WriteAsync(i); } c.Writer.Complete(); });"
        " await foreach (var v in c.Reader.ReadAllAsync()) Console.WriteLine(v); await p;",
        *(350, "0", 350, "1"),
    ),
    "Join": (
        "var t = new Thread(() => Thread.Sleep(900)); t.Start(); Console.WriteLine(t.Join(600)); t.Join();",
        *(600, "False", 300),
    ),
    "Sleep in a task": ("await Task.Run(() => Thread.Sleep(650));", 650),
    "lock": (
        "var l = new LOCK(); int n = 0; void Count() { for (int i = 0; i < 1000; i++) lock (l) n++; }"
        " Parallel.Invoke(Count, Count); Console.WriteLine(n);",
        "2000",
    ),
    "dynamic": ('dynamic d = 5; d = d + 1; Console.WriteLine($"{d}");', "6"),
    "SemaphoreSlim": (
        "Console.WriteLine(await new SemaphoreSlim(0).WaitAsync(TimeSpan.FromMilliseconds(1100)));",
        *(1100, "False"),
    ),
    "ManualResetEventSlim": ("Console.WriteLine(new ManualResetEventSlim().Wait(550));", 550, "False"),
    "Wait": ("Console.WriteLine(Task.Delay(5000).Wait(1300));", 1300, "False"),
    "Stopwatch": (
        "var w = System.Diagnostics.Stopwatch.StartNew(); await Task.Delay(1000);"
        " Console.WriteLine(w.ElapsedMilliseconds);",
        *(1000, "1000"),
    ),
    "WaitOne": ("new ManualResetEvent(false).WaitOne(2000);", 2000),
    "Monitor.Wait": ("object o = new object(); lock (o) { Monitor.Wait(o, 2000); }", 2000),
    "Stopwatch now and then": (
        "var w = System.Diagnostics.Stopwatch.StartNew(); while (w.ElapsedMilliseconds < 1950) Thread.Sleep(100);",
        2000,
    ),
    "polled Stopwatch": (
        "var w = System.Diagnostics.Stopwatch.StartNew(); while (w.ElapsedMilliseconds < 1500) ;",
        1500,
    ),
    "polled DateTime": ("var w = DateTime.Now; while ((DateTime.Now - w).TotalSeconds < 2) ;", 2000),
    "ReadLineAsync": ("Console.WriteLine(await Console.In.ReadLineAsync());", Typed(b"Ada"), "Ada"),
}
JAVA = {
    "join": (
        "Thread t = new Thread(() -> { try { Thread.sleep(900); } catch (InterruptedException e) { } }); t.start();"
        " t.join(600); System.out.println(t.isAlive()); t.join();",
        *(600, "true", 300),
    ),
    "ExecutorService": (
        "ExecutorService e = Executors.newFixedThreadPool(3); List<Future<Integer>> f = new ArrayList<>();"
        " for (int i = 1; i < 3; i++) { int k = i; f.add(e.submit(() -> { Thread.sleep(300 * k); return k; })); }"
        " for (Future<Integer> g : f) System.out.println(g.get()); e.shutdown();",
        *(300, "1", 300, "2"),
    ),
    "get": (
        "ExecutorService e = Executors.newCachedThreadPool(); try { e.submit(() -> { Thread.sleep(60000); return 1; })"
        '.get(1200, TimeUnit.MILLISECONDS); } catch (TimeoutException x) { System.out.println("late"); } e.shutdownNow();',
        *(1200, "late"),
    ),
    "ScheduledExecutorService": (
        "ScheduledExecutorService e = Executors.newScheduledThreadPool(1); CountDownLatch c = new CountDownLatch(3);"
        ' e.scheduleAtFixedRate(() -> { System.out.println("tick"); c.countDown(); }, 500, 250, TimeUnit.MILLISECONDS);'
        " c.await(); e.shutdownNow();",
        *(500, "tick", 250, "tick", 250, "tick"),
    ),
    "delayedExecutor": (
        "CompletableFuture.runAsync(() -> { }, CompletableFuture.delayedExecutor(1100, TimeUnit.MILLISECONDS)).join();",
        1100,
    ),
    "Timer": (
        "Timer t = new Timer(); CountDownLatch c = new CountDownLatch(1);"
        " t.schedule(new TimerTask() { public void run() { c.countDown(); } }, 800); c.await(); t.cancel();",
        800,
    ),
    "CountDownLatch": ("System.out.println(new CountDownLatch(1).await(650, TimeUnit.MILLISECONDS));", 650, "false"),
    "poll": ("System.out.println(new LinkedBlockingQueue<Integer>().poll(950, TimeUnit.MILLISECONDS));", 950, "null"),
    "parallel": ("System.out.println(java.util.stream.IntStream.range(0, 1000).parallel().sum());", "499500"),
    "nanoTime": (
        "long t = System.nanoTime(); Thread.sleep(1000); System.out.println((System.nanoTime() - t) / 1000000);",
        *(1000, "1000"),
    ),
    "two sleeps after a computation": (
        "long x = 0; for (int i = 0; i < 50000000; i++) x += i; Thread.sleep(1700); Thread.sleep(300);",
        2000,
    ),
    "TimeUnit": ("TimeUnit.SECONDS.sleep(2);", 2000),
    "wait": ("Object o = new Object(); synchronized (o) { o.wait(2000); }", 2000),
    "parkNanos": ("java.util.concurrent.locks.LockSupport.parkNanos(2000000000L);", 2000),
    "polled nanoTime": ("long t = System.nanoTime(); while (System.nanoTime() - t < 1500000000L) ;", 1500),
    "polled by two threads": (
        "Thread[] t = new Thread[2]; for (int i = 0; i < 2; i++) { t[i] = new Thread(() -> { long u = System.nanoTime();"
        " while (System.nanoTime() - u < 500000000L) ; }); t[i].start(); } for (Thread u : t) u.join();",
        500,
    ),
}
PYTHON = {
    "gather": (
        "async def main(): await asyncio.gather(asyncio.sleep(.3), asyncio.sleep(1.2), asyncio.sleep(.6))\n"
        "asyncio.run(main())",
        1200,
    ),
    "wait_for": (
        "async def main():\n try: await asyncio.wait_for(asyncio.sleep(9), .5)\n"
        " except asyncio.TimeoutError: print('late')\nasyncio.run(main())",
        *(500, "late"),
    ),
    "to_thread": ("asyncio.run(asyncio.to_thread(time.sleep, .85))", 850),
    "Timer": ("t = threading.Timer(.8, print, ['rang']); t.start(); t.join()", 800, "rang"),
    "Event": ("print(threading.Event().wait(.65))", 650, "False"),
    "map": (
        "with ThreadPoolExecutor(3) as e: print(*e.map(lambda k: time.sleep(.3 * k) or k, [1, 2, 3]))",
        900,
        "1 2 3",
    ),
    "result": (
        "with ThreadPoolExecutor(1) as e:\n try: e.submit(time.sleep, 2).result(timeout=.95)\n"
        " except concurrent.futures.TimeoutError: print('late')",
        *(950, "late", 1050),
    ),
    "get": ("try: queue.Queue().get(timeout=.45)\nexcept queue.Empty: print('empty')", 450, "empty"),
    "sched": (
        "s = sched.scheduler(); s.enter(1.1, 1, print, 'a'); s.enter(.5, 1, print, 'b'); s.run()",
        *(500, "b", 600, "a"),
    ),
    "sleep(0)": ("time.sleep(0)",),
    "monotonic": ("t = time.monotonic(); time.sleep(1); print(round(time.monotonic() - t, 3))", 1000, "1.0"),
    "wait_for of a condition": ("c = threading.Condition()\nwith c: c.wait_for(lambda: False, 2)", 2000),
    "select": ("select.select([], [], [], 2)", 2000),
    "alarm": ("signal.signal(signal.SIGALRM, lambda *_: None); signal.alarm(2); signal.pause()", 2000),
    "setitimer": ("signal.setitimer(signal.ITIMER_REAL, 2); signal.pause()", 2000),
    "sigtimedwait": ("signal.sigtimedwait([signal.SIGUSR1], 2)", 2000),
    "subprocess": ("subprocess.run(['sleep', '2'])", 2000),
    "now and then": ("t = time.monotonic()\nwhile time.monotonic() < t + 1.95: time.sleep(0.1)", 2000),
    "polled by a thread": (
        "def poll():\n t = time.time()\n while time.time() - t < 1.5: pass\n"
        "t = threading.Thread(target=poll); t.start(); t.join()",
        1500,
    ),
}
C = {
    "polled by two threads": (
        "pthread_t t, u; pthread_create(&t, 0, poll, 0); pthread_create(&u, 0, poll, 0); pthread_join(t, 0);"
        " pthread_join(u, 0);",
        1500,
    ),
    "polled by one thread": ("pthread_t t; pthread_create(&t, 0, poll, 0); pthread_join(t, 0);", 1500),
}
#: Measures as often as .NET does when it first lends an array: doubles a count until it has taken a microsecond.
JAVA_MEASURING = """
for (int k = 0; k < 20; k++)
    for (long n = 1, t = 0; t < 1000; n *= 2) {
        double x = 1;
        t = System.nanoTime();
        for (long i = 0; i < n; i++) x = Math.sqrt(x + i);
        t = x < 0 ? 0 : System.nanoTime() - t;
    }
System.out.println("measured");
"""
JAVA_FLAGS = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-XX:-UsePerfData")


def build_csharp(folder, features):
    lock = "System.Threading.Lock" if int(sdk_here().version.split(".")[0]) >= 9 else "object"
    body = "".join(f'Console.WriteLine("{name}"); {{ {code} }}\n' for name, (code, *_) in features.items())
    return built.build_csharp(folder, f"{body.replace('LOCK', lock)}\nrecord Card(int Rank);")


def build_java(folder, features):
    body = "".join(f'System.out.println("{name}"); {{ {code} }}\n' for name, (code, *_) in features.items())
    imports = "import java.util.*; import java.util.concurrent.*;"
    (folder / "P.java").write_text(
        f"{imports} public class P {{ public static void main(String[] a) throws Exception {{ {body} }} }}"
    )
    subprocess.run(["javac", "-d", folder, folder / "P.java"], check=True, timeout=60)
    return Program(("/usr/bin/java", *JAVA_FLAGS, "-cp", str(folder), "P"), folder, has_runtime_threads=True)


def build_python(folder, features):
    modules = "import asyncio, concurrent.futures, queue, sched, select, signal, subprocess, threading, time"
    body = "\n".join(f"print('{name}')\n{code}" for name, (code, *_) in features.items())
    (folder / "p.py").write_text(f"{modules}\nfrom concurrent.futures import ThreadPoolExecutor\n{body}\n")
    return Program(("/usr/bin/python3", str(folder / "p.py")), folder)


def build_c(folder, features):
    poll = "void *poll(void *p) { double t = now(); while (now() - t < 1.5); return p; }"
    now = "double now(void) { struct timespec t; clock_gettime(1, &t); return t.tv_sec + t.tv_nsec / 1e9; }"
    body = "".join(f'puts("{name}"); fflush(stdout); {{ {code} }}\n' for name, (code, *_) in features.items())
    head = "#include <pthread.h>\n#include <stdio.h>\n#include <time.h>\n"
    (folder / "p.c").write_text(f"{head}{now}\n{poll}\nint main(void) {{ {body} return 0; }}")
    subprocess.run(["cc", "-pthread", "-o", folder / "p", folder / "p.c"], check=True, timeout=60)
    return Program((str(folder / "p"),), folder)


def expected_events(features):
    """The events of a program that uses these features one after another."""
    text, events = b"", []
    for item in (item for name, (_, *items) in features.items() for item in (name, *items)):
        if isinstance(item, str):
            text += f"{item}\n".encode()
            continue
        events += [Shown(text)] if text else []
        events, text = [*events, item if isinstance(item, Typed) else Paused(item)], b""
    return (*events, Shown(text)) if text else tuple(events)


def transcript_of(program, seed):
    with TracingDriver(program, Limits(cpu_s=5, idle_s=20), Sandbox(Level.NONE)) as driver:
        ((_, transcript),) = driver.sessions([Script(script_of_lines([b"Ada"]), environment_seed=seed)])
    assert transcript.ending == exited()
    return transcript


@pytest.mark.parametrize(
    ("build", "features"),
    [
        pytest.param(build_csharp, CSHARP, id="C#", marks=pytest.mark.needs(".NET")),
        pytest.param(build_java, JAVA, id="Java", marks=pytest.mark.needs("Java")),
        pytest.param(build_python, PYTHON, id="Python"),
        pytest.param(build_c, C, id="C"),
    ],
)
def test_each_delay_is_a_pause_of_its_length(reachable, build, features):
    program = build(reachable, features)
    for seed in range(2):
        assert transcript_of(program, seed).events == expected_events(features)


@pytest.mark.needs("Java")
def test_a_thread_that_measures_until_a_microsecond_has_passed_ends(reachable):
    program = build_java(reachable, {"measures": (JAVA_MEASURING,)})
    assert transcript_of(program, 0).text == b"measures\nmeasured\n"


@pytest.mark.needs("Java")
def test_delays_of_virtual_threads_are_pauses(reachable):
    version = subprocess.run(["javac", "-version"], capture_output=True, text=True, check=True).stdout
    if int(version.split()[1].split(".")[0]) < 21:
        pytest.skip("virtual threads are in Java 21 and later")
    sleep = "try { Thread.sleep(700); } catch (InterruptedException e) { }"
    features = {"virtual": (f"Thread.startVirtualThread(() -> {{ {sleep} }}).join();", 700)}
    assert transcript_of(build_java(reachable, features), 0).events == expected_events(features)
