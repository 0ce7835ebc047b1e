// Calls that Holdfast refuses or lets wait, by OpenAI's client for Node with its own retries: `OPENAI_PACKAGE` names it. Each says in
// a header which one it is. Prints a line for each: its status, and what the response was of.
const { default: OpenAI } = await import(process.env.OPENAI_PACKAGE);
const client = new OpenAI();
const poor = new OpenAI({ apiKey: process.env.POOR_KEY });
const name = process.env.OPENAI_PACKAGE;

async function call(by, label, more, headers = {}) {
  const body = { model: 'sandbox-text', messages: [{ role: 'user', content: `${name}: ${label}` }], ...more };
  const options = { headers: { 'x-call': label, ...headers } };
  const line = await by.chat.completions
    .create(body, options)
    .withResponse()
    .then(
      ({ response }) => ({ status: response.status, joined: response.headers.get('holdfast-joined') }),
      ({ status }) => ({ status, joined: null }),
    );
  console.log(JSON.stringify({ label, ...line }));
}

await call(poor, 'without balance', {});
await call(client, 'keyed', {}, { 'Idempotency-Key': `${name} key` });
await call(client, 'keyed otherwise', {}, { 'Idempotency-Key': `${name} key` });
await call(client, 'failing', { fail: 'GENERATION_FAILED' });
await call(client, 'overloaded', { fail: 'MODEL_OVERLOADED' });
await call(client, 'long', { delay_ms: 3000 });
