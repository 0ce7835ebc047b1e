import { startExecutions } from '@holdfast/db/executions/start';
import { createProviders } from '@holdfast/providers/registry';
import { insertTestExecution } from '@holdfast/testkit/testData';
import { copyOutput } from '../copyOutput.ts';
import { createInHand } from '../inHand.ts';
import { leaseS } from '../lease.ts';
import { toSubmission } from '../submission.ts';
import { modelOf, startCopying } from './copying.ts';
import { watchMemory } from './watchMemory.ts';

// Runs a model at a server that speaks OpenAI's protocol, whose pictures come in base64 inside its answers, as many at once
// as are asked for; prints how many were stored, and by how much memory grew at most.
// Arguments: the server, how many runs.
const [baseUrl = '', runs = '8'] = process.argv.slice(2);
const { context, newRun, close } = await startCopying();
const { db, log } = context;
const inHand = createInHand(db, log);
const connection = { baseUrl, apiKey: null, settings: {} };
const providers = createProviders({ trusted: connection });
const provider = providers.find({ adapter: 'openai', connection: 'trusted' });
if (provider === null) throw new Error('there is no adapter');
const { definition, route: usual } = modelOf({});
const route = { provider, definition, route: { ...usual, options: { endpoint: 'images' } } };

async function make(): Promise<boolean> {
  const { organizationId } = await newRun();
  const id = await insertTestExecution(db, { organizationId });
  const [run] = await startExecutions(db, [{ id, connection: 'trusted', target: 'm' }], leaseS);
  if (run === undefined) throw new Error('it was not started');
  const submission = toSubmission({ callbackBaseUrl: null }, route, { ...run, logged: 0, busyRefusals: 0 });
  return await inHand.hold(run.attemptId, async (signal) => {
    const progress = await route.provider.submit(submission, signal);
    if (progress.state !== 'ended' || !progress.outcome.ok) throw new Error(JSON.stringify(progress));
    return (await copyOutput(context, route, run, { outcome: progress.outcome }, signal)) !== null;
  });
}

const memory = watchMemory();
const made = await Promise.all(Array.from({ length: Number(runs) }, make));
const grownMb = memory.grownMb();
await inHand.handBack(0);
providers.close();
await close();
process.stdout.write(JSON.stringify({ copied: made.filter(Boolean).length, grownMb }));
