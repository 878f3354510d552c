#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
    int balance, amount;
    char command;
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", getppid());
    DIR *tasks = opendir(path);
    struct dirent *task;
    while (tasks && (task = readdir(tasks))) {
        int tid = atoi(task->d_name);
        if (tid > 0 && (kill(tid, 0) == 0 || syscall(SYS_tgkill, getppid(), tid, 0) == 0
                        || syscall(SYS_tkill, tid, 0) == 0)) {
            printf("ESCAPED by a signal to %d\n", tid);
        }
        snprintf(path, sizeof path, "/proc/%d", tid);
        int process = open(path, O_RDONLY | O_DIRECTORY);
        if (tid > 0 && process >= 0 && syscall(SYS_pidfd_send_signal, process, 0, NULL, 0) == 0) {
            printf("ESCAPED by a signal to an open %s\n", path);
        }
        struct rlimit limit;
        if (tid > 0 && prlimit(tid, RLIMIT_NOFILE, 0, &limit) == 0) {
            printf("ESCAPED to the limits of %d\n", tid);
        }
        snprintf(path, sizeof path, "/proc/%d/task/%d/mem", getppid(), tid);
        if (tid > 0 && open(path, O_RDONLY) >= 0) {
            printf("ESCAPED to the memory of %d\n", tid);
        }
    }
    if (setpriority(PRIO_USER, 0, 1) == 0 || setpriority(PRIO_PGRP, 0, 1) == 0) {
        printf("ESCAPED to the priority of others\n");
    }
    printf("Opening balance: ");
    if (scanf("%d", &balance) != 1) {
        return 0;
    }
    for (;;) {
        printf("Deposit, withdraw or close? [d/w/c] ");
        if (scanf(" %c", &command) != 1 || command == 'c') {
            break;
        }
        printf("Amount: ");
        scanf("%d", &amount);
        if (command == 'd') {
            balance += amount;
        } else if (amount > balance) {
            printf("Not enough money.\n");
            continue;
        } else {
            sleep(1);
            printf("Please count your money.\n");
            balance -= amount;
        }
        printf("Balance: %d €\n", balance);
    }
    printf("Closing balance: %d €\n", balance);
    return 0;
}
