// Shows the progress of a run, gives up waiting, and resumes.
import { Holdfast, WaitTimeoutError } from '@holdfast/sdk';

const client = new Holdfast();

function onProgress(event) {
  if (event.type === 'status') console.log(event.execution.status);
  if (event.type === 'progress') console.log(`${Math.round((event.progress ?? 0) * 100)} %`);
  if (event.type === 'log') for (const line of event.lines) console.log(`  ${line}`);
}

try {
  await client.run(
    'sandbox-image',
    { prompt: 'A slow lighthouse', delay_ms: 3000 },
    { onProgress, timeout: 1000 },
  );
} catch (error) {
  if (!(error instanceof WaitTimeoutError)) throw error;
  console.log(`waiting for ${error.execution.id} again`);
  const execution = await client.executions.wait(error.execution.id, { onProgress });
  console.log(client.output(execution).images[0].file_id);
}
