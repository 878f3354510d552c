/* Takes the place of the C library's sleep in programs that are measured by
   rivals without virtual time. */
unsigned int sleep(unsigned int seconds)
{
    (void)seconds;
    return 0;
}
