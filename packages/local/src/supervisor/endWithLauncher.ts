// Preloaded into every child: when the launcher is gone, however it ended, the service stops as if asked to.
const forceExitAfterMs = 10_000;

process.on('disconnect', () => {
  setTimeout(() => process.exit(1), forceExitAfterMs).unref();
  process.kill(process.pid, 'SIGTERM');
});
process.channel?.unref();
