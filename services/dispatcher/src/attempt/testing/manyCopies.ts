import { copyOutput } from '../outputs.ts';
import { madeOutput, startCopying } from './copying.ts';
import { watchMemory } from './watchMemory.ts';

// Copies files of a server, as many at once as a dispatcher does, and prints how many runs were copied and how much memory grew at most.
// Arguments: the server, how many runs, how many files each.
const [baseUrl = '', runs = '8', filesOfRun = '8'] = process.argv.slice(2);
const copying = await startCopying();
const route = { ...copying.routeOf({}), connection: { baseUrl, apiKey: null, settings: {} } };
const never = new AbortController().signal;

async function copyOne(run: number): Promise<boolean> {
  const urls = Array.from({ length: Number(filesOfRun) }, (_, file) => `${baseUrl}/${run}/${file}`);
  const made = { outcome: madeOutput('images', ...urls) };
  const { files, log, newRun } = copying;
  return (await copyOutput(files, log, route, await newRun(), made, never)) !== null;
}

const memory = watchMemory();
const copied = await Promise.all(Array.from({ length: Number(runs) }, (_, run) => copyOne(run)));
const grownMb = memory.grownMb();
await copying.close();
process.stdout.write(JSON.stringify({ copied: copied.filter(Boolean).length, grownMb }));
