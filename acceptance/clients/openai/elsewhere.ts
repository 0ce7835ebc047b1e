// What the retries of OpenAI's client for Node cost without Holdfast: chats through the proxy that loses responses, which the
// provider counts. `elsewhere.ts` calls the provider itself, `elsewhere.ts URL KEY MODEL PORT` a server before it, which finds the
// provider at PORT.
import { startLossyProxy } from './lossyProxy.ts';
import { installNode, runNode } from './programs.ts';
import { startUpstream } from './upstream.ts';

const calls = Number(process.env['CALLS'] ?? 200);
const [server, apiKey = 'none', model = 'a-model', port] = process.argv.slice(2);

await installNode();
const upstream = await startUpstream(Number(port ?? 0));
const target = new URL(server ?? upstream.url);
const proxy = await startLossyProxy(target.origin);
const settings = { CALLS: String(calls), WIDTH: '8', RETRIES: '2', KINDS: 'chat', MODEL: model };
const made = await runNode('repeats.mjs', { baseUrl: proxy.url + target.pathname, apiKey }, settings);
console.info(`${made.length} calls were ${upstream.prompts.length} runs at the provider.`);
await Promise.all([proxy.close(), upstream.close()]);
