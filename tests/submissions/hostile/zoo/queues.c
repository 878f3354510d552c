/* Tries: to leave messages, semaphores and memory that no process owns
 * Verdict: ACCEPTED
 * Stopped by: filter
 * Untouched: the machine
 */
#include "teller.h"

static void attack(void)
{
    TRY("msgget", syscall(SYS_msgget, 4711, 01600) >= 0);
    TRY("semget", syscall(SYS_semget, 4711, 1, 01600) >= 0);
    TRY("shmget", syscall(SYS_shmget, 4711, 4096, 01600) >= 0);
    TRY("mq_open", syscall(SYS_mq_open, "pitboss", O_CREAT | O_RDWR, 0600, NULL) >= 0);
    TRY("shm_open", shm_open("/pitboss", O_RDWR, 0) >= 0); /* as an earlier session left it */
    shm_open("/pitboss", O_CREAT | O_RDWR, 0600);
}
