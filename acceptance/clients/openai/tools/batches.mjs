// Batches by OpenAI's client for Node: `OPENAI_PACKAGE` names it, the base URL and the key are in the environment. Prints a line for each.
const { default: OpenAI, toFile } = await import(process.env.OPENAI_PACKAGE);
const client = new OpenAI();
const model = 'gpt-4o-mini';

function expect(isTrue, seen) {
  if (!isTrue) throw new Error(`unexpected: ${JSON.stringify(seen)}`);
}

async function create(url, bodies, endpoint = url) {
  const lines = bodies.map((body, at) =>
    JSON.stringify({ custom_id: `request-${at}`, method: 'POST', url, body }),
  );
  const file = await client.files.create({
    file: await toFile(Buffer.from(lines.join('\n')), 'requests.jsonl'),
    purpose: 'batch',
  });
  const settings = { input_file_id: file.id, endpoint, completion_window: '24h', metadata: { from: 'node' } };
  return await client.batches.create(settings);
}

async function ended({ id }) {
  let found = await client.batches.retrieve(id);
  while (['validating', 'in_progress', 'finalizing', 'cancelling'].includes(found.status)) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    found = await client.batches.retrieve(id);
  }
  return found;
}

async function linesOf(fileId) {
  const text = await (await client.files.content(fileId)).text();
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

async function bodyOf(endpoint, body) {
  const batch = await ended(await create(endpoint, [body]));
  const [line] = await linesOf(batch.output_file_id);
  expect(line.response.status_code === 200 && line.error === null, line);
  return line.response.body;
}

const chatOf = (content) => ({ model, messages: [{ role: 'user', content }] });

const calls = {
  async 'batches.create of chats, of which one fails'() {
    const created = await create('/v1/chat/completions', ['one', 'fail node', 'three'].map(chatOf));
    expect(created.object === 'batch' && created.status === 'validating', created);
    const batch = await ended(created);
    const { total, completed, failed } = batch.request_counts;
    expect(batch.status === 'completed' && [total, completed, failed].join() === '3,2,1', batch);
    const texts = (await linesOf(batch.output_file_id)).map(({ custom_id, response: { body } }) => [
      custom_id,
      body.choices[0].message.content,
    ]);
    expect(
      texts.sort().join() === 'request-0,You said: one. That is all.,request-2,You said: three. That is all.',
      texts,
    );
    const [refused] = await linesOf(batch.error_file_id);
    expect(refused.custom_id === 'request-1' && refused.response.status_code === 400, refused);
  },
  async 'batches.create of responses'() {
    const { output } = await bodyOf('/v1/responses', { model, input: 'a response' });
    expect(output[0].content[0].text.includes('a response'), output);
  },
  async 'batches.create of completions'() {
    const { choices } = await bodyOf('/v1/completions', { model, prompt: 'older' });
    expect(choices[0].text.includes('older'), choices);
  },
  async 'batches.create of embeddings'() {
    const { data } = await bodyOf('/v1/embeddings', { model: 'embedder', input: ['one', 'two'] });
    expect(data.length === 2 && data[0].embedding.join() === '0.5,-0.25,0', data);
  },
  async 'batches.create of images'() {
    const { data } = await bodyOf('/v1/images/generations', {
      model: 'gpt-image-1',
      prompt: 'a lighthouse',
    });
    expect(data[0].b64_json.startsWith('iVBOR'), data);
  },
  async 'batches.create of a file with a bad request'() {
    const batch = await ended(await create('/v1/chat/completions', [{ model }, chatOf('one')]));
    const { total, completed, failed } = batch.request_counts;
    expect(batch.status === 'completed' && [total, completed, failed].join() === '2,1,1', batch);
    const [{ custom_id, response, error }] = await linesOf(batch.error_file_id);
    expect(custom_id === 'request-0' && response.status_code === 400 && error === null, response);
    expect(response.body.error.param === 'messages', response);
  },
  async 'batches.create of a file with a request of another endpoint'() {
    const batch = await ended(await create('/v1/completions', [{ model, prompt: 'older' }], '/v1/responses'));
    expect(batch.status === 'failed' && batch.errors.data[0].code === 'url_mismatch', batch);
  },
  async 'batches.cancel'() {
    const { id } = await create('/v1/chat/completions', [
      { ...chatOf('x'), model: 'sandbox-text', delay_ms: 60_000 },
    ]);
    expect(['cancelling', 'cancelled'].includes((await client.batches.cancel(id)).status));
    expect((await ended({ id })).status === 'cancelled');
  },
  async 'batches.list'() {
    const ids = [];
    for await (const batch of client.batches.list({ limit: 3 })) ids.push(batch.id);
    expect(ids.length >= 7 && new Set(ids).size === ids.length, ids);
  },
};

for (const [name, call] of Object.entries(calls)) {
  const problem = await call().then(
    () => null,
    (error) => `${error.name}: ${error.message}`,
  );
  console.log(JSON.stringify({ name, problem }));
}
