/* peak: runs a command and prints the most memory it held, in bytes, on standard output.  peak COMMAND ARG...
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
  if (argc < 2) return fprintf(stderr, "usage: peak COMMAND ARG...\n"), 2;
  pid_t child = fork();
  if (child < 0) return perror("fork"), 2;
  if (child == 0) {
    execvp(argv[1], argv + 1);
    perror(argv[1]);
    _exit(127);
  }
  int status;
  struct rusage use;
  if (wait4(child, &status, 0, &use) < 0) return perror("wait4"), 2;
  printf("%ld\n", use.ru_maxrss * 1024L);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
