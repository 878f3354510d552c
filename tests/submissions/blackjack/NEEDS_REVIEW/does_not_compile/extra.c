/* Not finished. */
int main(void)
{
    return 0
}
