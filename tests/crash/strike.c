/* Kills the process before its n-th system call that changes the disk.
 *
 * Loaded with LD_PRELOAD, so that calls made inside libgit2 and SQLite count
 * too. strike_at(n) begins to count, strike_calls() tells how many there were.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static long calls, at;

void strike_at(long number)
{
    calls = 0;
    at = number;
}

long strike_calls(void)
{
    return calls;
}

static void point(void)
{
    if (++calls == at)
        kill(getpid(), SIGKILL);
}

#define REAL(type, name, ...) ((type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name))
#define CHANGES (O_CREAT | O_TRUNC | O_WRONLY | O_RDWR)

#define OPEN(name)                                                         \
    int name(const char *path, int flags, ...)                             \
    {                                                                      \
        va_list rest;                                                      \
        va_start(rest, flags);                                             \
        mode_t mode = va_arg(rest, mode_t);                                \
        va_end(rest);                                                      \
        if (flags & (O_CREAT | O_TRUNC))                                   \
            point();                                                       \
        return REAL(int, #name, const char *, int, mode_t)(path, flags, mode); \
    }
#define OPENAT(name)                                                       \
    int name(int folder, const char *path, int flags, ...)                 \
    {                                                                      \
        va_list rest;                                                      \
        va_start(rest, flags);                                             \
        mode_t mode = va_arg(rest, mode_t);                                \
        va_end(rest);                                                      \
        if (flags & (O_CREAT | O_TRUNC))                                   \
            point();                                                       \
        return REAL(int, #name, int, const char *, int, mode_t)(           \
            folder, path, flags, mode);                                    \
    }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

ssize_t write(int file, const void *data, size_t size)
{
    if (file > 2)
        point();
    return REAL(ssize_t, "write", int, const void *, size_t)(file, data, size);
}
#define PWRITE(name)                                                       \
    ssize_t name(int file, const void *data, size_t size, off_t at)        \
    {                                                                      \
        point();                                                           \
        return REAL(ssize_t, #name, int, const void *, size_t, off_t)(     \
            file, data, size, at);                                         \
    }
PWRITE(pwrite)
PWRITE(pwrite64)

#define ONE(name, type)                                                    \
    int name(type a)                                                       \
    {                                                                      \
        point();                                                           \
        return REAL(int, #name, type)(a);                                  \
    }
ONE(fsync, int)
ONE(fdatasync, int)
ONE(unlink, const char *)
ONE(rmdir, const char *)

#define TWO(name, first, second)                                           \
    int name(first a, second b)                                            \
    {                                                                      \
        point();                                                           \
        return REAL(int, #name, first, second)(a, b);                      \
    }
TWO(rename, const char *, const char *)
TWO(link, const char *, const char *)
TWO(mkdir, const char *, mode_t)
TWO(ftruncate, int, off_t)
TWO(ftruncate64, int, off_t)

int mkdirat(int folder, const char *path, mode_t mode)
{
    point();
    return REAL(int, "mkdirat", int, const char *, mode_t)(folder, path, mode);
}
int unlinkat(int folder, const char *path, int flags)
{
    point();
    return REAL(int, "unlinkat", int, const char *, int)(folder, path, flags);
}
int renameat(int a, const char *from, int b, const char *to)
{
    point();
    return REAL(int, "renameat", int, const char *, int, const char *)(a, from, b, to);
}
int renameat2(int a, const char *from, int b, const char *to, unsigned flags)
{
    point();
    return REAL(int, "renameat2", int, const char *, int, const char *, unsigned)(
        a, from, b, to, flags);
}
