import { startExecutions } from '@holdfast/db/executions/start';
import { createProviders } from '@holdfast/providers/registry';
import { insertTestExecution } from '@holdfast/testkit/testData';
import { createLeases, leaseS } from '../leases.ts';
import { copyOutput } from '../outputs.ts';
import { toSubmission } from '../submission.ts';
import { startCopying } from './copying.ts';
import { watchMemory } from './watchMemory.ts';

// Runs a model at a server that speaks OpenAI's protocol and returns images in base64, many runs at once; prints how many
// outputs were stored and how much memory grew at most. Arguments: the server, how many runs.
const [baseUrl = '', runs = '8'] = process.argv.slice(2);
const { files, log, newRun, routeOf, close } = await startCopying();
const { db } = files;
const leases = createLeases(db, log);
const connection = { baseUrl, apiKey: null, settings: {} };
const providers = createProviders({ trusted: connection });
const provider = providers.find({ adapter: 'openai', connection: 'trusted' });
if (provider === null) throw new Error('there is no adapter');
const made = routeOf({});
const route = {
  ...made,
  provider,
  connection,
  callbackUrl: null,
  route: { ...made.route, options: { endpoint: 'images' } },
};

async function make(): Promise<boolean> {
  const { organizationId } = await newRun();
  const executionId = await insertTestExecution(db, { organizationId });
  const [run] = await startExecutions(db, [{ id: executionId, connection: 'trusted', target: 'm' }], leaseS);
  if (run === undefined) throw new Error('it was not started');
  const attempt = { ...run, executionId, number: 1, logged: 0, busyRefusals: 0, claims: 0 };
  const submission = toSubmission(route, attempt);
  return await leases.hold(run.attemptId, async (signal) => {
    const progress = await route.provider.submit(submission, signal);
    if (progress.state !== 'ended' || !progress.outcome.ok) throw new Error(JSON.stringify(progress));
    return (await copyOutput(files, log, route, attempt, { outcome: progress.outcome }, signal)) !== null;
  });
}

const memory = watchMemory();
const copied = await Promise.all(Array.from({ length: Number(runs) }, make));
const grownMb = memory.grownMb();
await leases.handBack(0);
providers.close();
await close();
process.stdout.write(JSON.stringify({ copied: copied.filter(Boolean).length, grownMb }));
