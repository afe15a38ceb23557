// Samples the call stacks of a process by its CPU time, where there is no perf: gcc -O1 -g -shared -fPIC -o s.so FILE.
// prof_start(microseconds) begins, prof_stop(file) writes one line a sample, innermost function first.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

#define SAMPLES 60000
#define DEPTH 24
static void *frames[SAMPLES][DEPTH];
static int depth[SAMPLES];
static volatile int count;

static void take(int signal) {
    (void) signal;
    int i = __sync_fetch_and_add(&count, 1);
    if (i < SAMPLES) depth[i] = backtrace(frames[i], DEPTH);
}

void prof_start(int microseconds) {
    void *warm[2];
    backtrace(warm, 2);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = take;
    action.sa_flags = SA_RESTART;
    sigaction(SIGPROF, &action, NULL);
    struct itimerval timer = {{0, microseconds}, {0, microseconds}};
    setitimer(ITIMER_PROF, &timer, NULL);
}

void prof_stop(const char *path) {
    struct itimerval timer = {{0, 0}, {0, 0}};
    setitimer(ITIMER_PROF, &timer, NULL);
    FILE *out = fopen(path, "w");
    int n = count < SAMPLES ? count : SAMPLES;
    for (int i = 0; i < n; i++) {
        for (int j = 2; j < depth[i]; j++) {
            Dl_info info;
            if (dladdr(frames[i][j], &info)) {
                fprintf(out, "%s+%lx;", info.dli_fname ? info.dli_fname : "?",
                        (unsigned long) ((char *) frames[i][j] - (char *) info.dli_fbase));
            }
        }
        fprintf(out, "\n");
    }
    fclose(out);
}
