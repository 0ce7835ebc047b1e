// Keeps the test servers while standard input is open: the kernel closes it however Jest ends. Prints one line of
// JSON when they are ready.
import { startTestServers, sweepAbandoned } from './testServers.ts';

const parentIsGone = new Promise<void>((resolve) => {
  process.stdin.resume().once('end', resolve).once('close', resolve).once('error', resolve);
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => process.stdin.destroy());
process.stdout.on('error', () => {});

try {
  await sweepAbandoned();
  const { servers, stop } = await startTestServers();
  console.log(JSON.stringify(servers));
  await parentIsGone;
  await stop();
  process.exit();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
