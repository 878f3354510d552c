#include <stdlib.h>
#include <unistd.h>

static char text[600], *front = text + sizeof text;
static int cardOrder[52], cardValues[52];

static void before(int number)
{
    do
        *--front = "0123456789"[number % 10];
    while (number /= 10);
}

static int typed_number(void)
{
    char line[64];
    ssize_t size = read(STDIN_FILENO, line, sizeof line - 1);
    line[size > 0 ? size : 0] = '\0';
    return (int)strtol(line, NULL, 10);
}

int main(void)
{
    if (write(STDOUT_FILENO, "Seed: ", 6) < 6)
        return 1;
    int seed = typed_number();
    if (seed)
        srand(seed);
    for (int i = 0; i < 52; i++) {
        cardOrder[i] = i + 1;
        cardValues[i] = i % 13 < 9 ? i % 13 + 2 : 10 + i % 13 / 12;
    }
    for (int i = 51; i >= 0; i--) {
        int j = seed && i ? rand() % (i + 1) : i;
        int order = cardOrder[j], value = cardValues[j];
        cardOrder[j] = cardOrder[i], cardValues[j] = cardValues[i];
        *--front = '\n';
        before(value);
        *--front = ' ';
        before(order);
    }
    size_t size = text + sizeof text - front;
    return write(STDOUT_FILENO, front, size) == (ssize_t)size ? 0 : 1;
}
