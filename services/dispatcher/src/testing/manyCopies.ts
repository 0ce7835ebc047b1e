import { copyOutput } from '../copyOutput.ts';
import { madeBy, modelOf, startCopying } from './copying.ts';
import { watchMemory } from './watchMemory.ts';

// Copies files of a server, as many at once as a dispatcher does, and prints by how much memory grew at most.
// Arguments: the server, how many runs, how many files each.
const [baseUrl = '', runs = '8', files = '8'] = process.argv.slice(2);
const copying = await startCopying();
const context = { ...copying.context, connections: { trusted: { baseUrl, apiKey: null, settings: {} } } };
const never = new AbortController().signal;

async function copyOne(run: number): Promise<boolean> {
  const urls = Array.from({ length: Number(files) }, (_, file) => `${baseUrl}/${run}/${file}`);
  const made = { outcome: madeBy('images', ...urls) };
  return (await copyOutput(context, modelOf({}), await copying.newRun(), made, never)) !== null;
}

const memory = watchMemory();
const copied = await Promise.all(Array.from({ length: Number(runs) }, (_, run) => copyOne(run)));
const grownMb = memory.grownMb();
await copying.close();
process.stdout.write(JSON.stringify({ copied: copied.filter(Boolean).length, grownMb }));
