// Methods that rewritten syntax calls, and members of .NET's library that Mono lacks.
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
static class __New
{
    public static readonly Random Shared = new Random();
    public static R On<T, R>(T value, Func<T, R> then) { return then(value); }
    public static bool Is<T>(T value, T constant) { return EqualityComparer<T>.Default.Equals(value, constant); }
    public static int Length(System.Collections.IEnumerable list)
    {
        if (list is string) return ((string)list).Length;
        if (list is System.Collections.ICollection) return ((System.Collections.ICollection)list).Count;
        return (int)(list.GetType().GetProperty("Count") ?? list.GetType().GetProperty("Length")).GetValue(list, null);
    }
    public static char FromEnd(string text, int index) { return text[text.Length - index]; }
    public static T FromEnd<T>(IList<T> list, int index) { return list[list.Count - index]; }
    public static string Slice(string text, int from, bool fromEnd, int to, bool toEnd)
    {
        int start = fromEnd ? text.Length - from : from, end = toEnd ? text.Length - to : to;
        return text.Substring(start, end - start);
    }
    public static T[] Slice<T>(T[] list, int from, bool fromEnd, int to, bool toEnd)
    {
        int start = fromEnd ? list.Length - from : from, end = toEnd ? list.Length - to : to;
        T[] part = new T[end - start];
        Array.Copy(list, start, part, 0, part.Length);
        return part;
    }
    public static K Item1<K, V>(KeyValuePair<K, V> pair) { return pair.Key; }
    public static V Item2<K, V>(KeyValuePair<K, V> pair) { return pair.Value; }
    public static A Item1<A, B>((A, B) pair) { return pair.Item1; }
    public static B Item2<A, B>((A, B) pair) { return pair.Item2; }
    public static System.Text.Encoding WithoutMark(System.Text.Encoding encoding)
    {
        return encoding is System.Text.UTF8Encoding ? new System.Text.UTF8Encoding(false) : encoding;
    }
    public static void Shuffle<T>(this Random random, T[] values)
    {
        for (int i = 0; i < values.Length - 1; i++)
        {
            int j = random.Next(i, values.Length);
            T one = values[i];
            values[i] = values[j];
            values[j] = one;
        }
    }
    [DllImport("libc")] static extern int tcgetattr(int file, byte[] mode);
    [DllImport("libc")] static extern int tcsetattr(int file, int when, byte[] mode);
    [DllImport("libc")] static extern IntPtr read(int file, byte[] into, IntPtr size);
    // Reads a single key from a terminal, as .NET does; at the end of input, returns a key with the character '\0'.
    public static ConsoleKeyInfo ReadKey(bool intercept = false)
    {
        byte[] whole = new byte[64]; // struct termios of Linux has 60
        if (tcgetattr(0, whole) != 0)
            throw new InvalidOperationException("Cannot read keys when console input has been redirected.");
        byte[] single = (byte[])whole.Clone();
        single[12] &= 0xF5; // c_lflag without ICANON and ECHO
        tcsetattr(0, 0, single);
        char[] key = new char[2];
        byte[] part = new byte[1];
        System.Text.Decoder decoder = System.Text.Encoding.UTF8.GetDecoder();
        int length = 0;
        while (length == 0 && (long)read(0, part, (IntPtr)1) == 1) length = decoder.GetChars(part, 0, 1, key, 0);
        tcsetattr(0, 0, whole);
        if (length == 0) return new ConsoleKeyInfo('\0', 0, false, false, false);
        char pressed = key[0] == '\n' ? '\r' : key[0];
        if (!intercept && !char.IsControl(pressed)) Console.Write(pressed);
        char upper = char.ToUpperInvariant(pressed);
        bool isPlain = (upper >= 'A' && upper <= 'Z') || (upper >= '0' && upper <= '9');
        bool isNamed = isPlain || pressed == '\r' || pressed == '\t' || pressed == '\b' || pressed == 27 || pressed == ' ';
        ConsoleKey name = pressed == 127 ? ConsoleKey.Backspace : isNamed ? (ConsoleKey)upper : 0;
        return new ConsoleKeyInfo(pressed, name, upper == pressed && char.IsLetter(pressed), false, false);
    }
    public static T MaxBy<T, K>(this IEnumerable<T> all, Func<T, K> key) { return Best(all, key, 1); }
    public static T MinBy<T, K>(this IEnumerable<T> all, Func<T, K> key) { return Best(all, key, -1); }
    static T Best<T, K>(IEnumerable<T> all, Func<T, K> key, int sign)
    {
        bool has = false;
        T best = default(T);
        foreach (T one in all)
            if (!has || sign * Comparer<K>.Default.Compare(key(one), key(best)) > 0) { best = one; has = true; }
        if (!has && default(T) != null) throw new InvalidOperationException("Sequence contains no elements");
        return best;
    }
    public static IEnumerable<T[]> Chunk<T>(this IEnumerable<T> all, int size)
    {
        List<T> part = new List<T>();
        foreach (T one in all)
        {
            part.Add(one);
            if (part.Count == size) { yield return part.ToArray(); part.Clear(); }
        }
        if (part.Count > 0) yield return part.ToArray();
    }
}
