// For tests: healthy until `/sicken` is requested. FAKE_STUBBORN ignores SIGTERM, FAKE_BROKEN dies at once.
import { writeSync } from 'node:fs';
import { createServer } from 'node:http';

if (process.env['FAKE_BROKEN']) {
  console.error('PORT: expected a number');
  process.exit(1);
}
let isHealthy = true;

const databaseUser = process.env['DATABASE_URL'] ? new URL(process.env['DATABASE_URL']).username : null;

createServer((request, response) => {
  if (request.url === '/sicken') isHealthy = false;
  response.statusCode = request.url === '/healthz' && !isHealthy ? 503 : 200;
  const { ADMIN_TOKEN: adminToken, WEBHOOK_ALLOW_ORIGINS: webhookOrigins } = process.env;
  response.end(JSON.stringify({ pid: process.pid, adminToken, databaseUser, webhookOrigins }));
}).listen(Number(process.env['METRICS_PORT']), '127.0.0.1');

process.on('SIGTERM', () => {
  if (!process.env['FAKE_STUBBORN']) process.exit(0);
  writeSync(1, 'SIGTERM is ignored\n');
});
