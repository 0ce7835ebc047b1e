// The compiler checks names, inputs and outputs of models, with models.d.ts of: npx @holdfast/sdk types > models.d.ts
import { file, Holdfast, webhooks } from '@holdfast/sdk';

const client = new Holdfast();
const { output } = await client.run('image-transform', { source_image: file('photo.png'), width: 64 });
await output.images[0]?.save('small.png');
const width: number | undefined = output.images[0]?.width;
const text: string = (await client.run('sandbox-text', { prompt: 'Hello' })).output.text;
console.log(width, text);
for await (const delta of client.stream('sandbox-text', { prompt: 'Hello' })) console.log(delta.length);

// @ts-expect-error -- there is no such model
await client.run('sandbox-txt', { prompt: 'Hello' }).catch(() => undefined);
// @ts-expect-error -- the prompt is missing
await client.run('sandbox-text', {}).catch(() => undefined);
// @ts-expect-error -- a width is a number
await client.run('sandbox-image', { prompt: 'Hello', width: 'wide' }).catch(() => undefined);
// @ts-expect-error -- it is called format
await client.run('sandbox-image', { prompt: 'Hello', fromat: 'png' }).catch(() => undefined);
// @ts-expect-error -- the output of this model is a text
console.log((await client.run('sandbox-text', { prompt: 'Hello' })).output.images);
// @ts-expect-error -- this model does not stream
client.stream('image-transform', { source_image: file('photo.png') });

const secret = `whsec_${btoa('0123456789abcdef0123456789abcdef')}`;
const body = JSON.stringify({
  id: 'evt_1',
  type: 'execution.failed',
  data: { id: 'exec_1', status: 'FAILED' },
});
const event = await webhooks.unwrap(body, await webhooks.sign(body, secret), secret);
if (event.type === 'execution.failed' && event.data.model !== undefined) console.log(event.data.error.code);
if (event.type === 'endpoint.failing') console.log(event.data.failure_count);
