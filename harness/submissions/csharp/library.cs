// What rewritten syntax calls, and members of .NET's library that Mono lacks, as .NET has them.
using System;
using System.Collections.Generic;
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
