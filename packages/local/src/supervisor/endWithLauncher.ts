// Preloaded into every child: stops the service when the launcher is gone, however it ended.
const forceExitAfterMs = 10_000;

process.on('disconnect', () => {
  setTimeout(() => process.exit(1), forceExitAfterMs).unref();
  process.kill(process.pid, 'SIGTERM');
});
process.channel?.unref();
