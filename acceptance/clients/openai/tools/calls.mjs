// Calls of OpenAI's client for Node: `OPENAI_PACKAGE` names it, the base URL and the key are in the environment. Prints a line for each.
const { default: OpenAI, toFile } = await import(process.env.OPENAI_PACKAGE);
const client = new OpenAI();
const chat = client.chat.completions;
const said = (content) => [{ role: 'user', content: `${process.env.OPENAI_PACKAGE}: ${content}` }];
const model = 'gpt-4o-mini';
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const wav = Buffer.concat([
  Buffer.from('524946464c1f000057415645666d74201000000001000100401f0000803e000002001000', 'hex'),
  Buffer.from('64617461401f0000', 'hex'),
  Buffer.alloc(8000),
]);
const tools = [
  {
    type: 'function',
    function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
  },
];
const schema = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'number' } },
  required: ['name', 'age'],
  additionalProperties: false,
};
const json_schema = { name: 'person', strict: true, schema };

function expect(isTrue, seen) {
  if (!isTrue) throw new Error(`unexpected: ${JSON.stringify(seen)}`);
}
async function fails(promise, name, status, code) {
  const error = await promise.then(
    (value) => expect(false, value),
    (thrown) => thrown,
  );
  expect(
    error instanceof OpenAI[name] && error.status === status && (code === undefined || error.code === code),
    {
      name: error.constructor.name,
      status: error.status,
      code: error.code,
      message: error.message,
    },
  );
}
async function gathered(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}
const textOf = (chunks) => chunks.map(({ choices }) => choices[0]?.delta?.content ?? '').join('');
const isAnswer = (text, to) => expect(text?.includes(to) && text.endsWith('That is all.'), text);
async function ended(id, api = client.responses) {
  let found = await api.retrieve(id);
  while (['queued', 'in_progress'].includes(found.status)) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    found = await api.retrieve(id);
  }
  return found;
}

/** A call for each format that a recording can be read in. */
function heardAs(operation, words) {
  const formats = {
    json: ({ text }) => text === words,
    text: (text) => text.trim() === words,
    srt: (text) => text === `1\n00:00:00,000 --> 00:00:00,500\n${words}\n`,
    vtt: (text) => text === `WEBVTT\n\n00:00:00.000 --> 00:00:00.500\n${words}\n`,
    verbose_json: ({ text, duration, segments }) =>
      text === words && duration === 0.5 && segments[0].end === 0.5,
  };
  const calls = Object.entries(formats).map(([response_format, isRight]) => async () => {
    const file = await toFile(wav, 'audio.wav', { type: 'audio/wav' });
    const heard = await client.audio[operation].create({ model: 'whisper-1', file, response_format });
    expect(isRight(heard), heard);
  });
  return Object.fromEntries(
    Object.keys(formats).map((name, at) => [`audio.${operation}: ${name}`, calls[at]]),
  );
}

let background;
let streamed = [];
const calls = {
  async 'models.list'() {
    const ids = (await gathered(client.models.list())).map(({ id }) => id);
    expect(ids.includes(model) && ids.includes('sandbox-text'), ids);
  },
  async 'models.retrieve'() {
    expect((await client.models.retrieve(model)).id === model);
  },
  async 'models.retrieve by an alias with a slash'() {
    expect((await client.models.retrieve('sandbox/sandbox-text')).object === 'model');
  },
  'models.retrieve of none': () =>
    fails(client.models.retrieve('a/b'), 'NotFoundError', 404, 'model_not_found'),
  async 'chat with a key of its own'() {
    const options = { headers: { 'Idempotency-Key': `${process.env.OPENAI_PACKAGE}-1` } };
    const one = await chat.create({ model, messages: said('keyed') }, options);
    const two = await chat.create({ model, messages: said('keyed') }, options);
    expect(one.id === two.id, [one, two]);
  },
  async chat() {
    const { choices, usage } = await chat.create({ model, messages: said('plain') });
    isAnswer(choices[0].message.content, 'plain');
    expect(choices[0].finish_reason === 'stop' && usage.total_tokens === 7, [choices, usage]);
  },
  async 'chat of a sandbox model'() {
    const { choices } = await chat.create({ model: 'sandbox-text', messages: said('a lighthouse') });
    expect(choices[0].message.content.length > 0, choices);
  },
  async 'chat with its headers'() {
    const { data, response } = await chat.create({ model, messages: said('headers') }).withResponse();
    isAnswer(data.choices[0].message.content, 'headers');
    const names = [
      'holdfast-execution',
      'holdfast-hold',
      'holdfast-cost',
      'x-request-id',
      'x-ratelimit-limit-requests',
    ];
    expect(
      names.every((name) => response.headers.has(name)),
      [...response.headers.keys()],
    );
  },
  async 'chat with a system message and settings'() {
    const messages = [{ role: 'system', content: 'Be brief.' }, ...said('settings')];
    const { choices } = await chat.create({
      model,
      messages,
      temperature: 0.5,
      top_p: 1,
      max_tokens: 50,
      seed: 1,
      stop: ['x'],
      user: 'u',
      n: 1,
    });
    isAnswer(choices[0].message.content, 'settings');
  },
  async 'chat with an image'() {
    const url = `data:image/png;base64,${png.toString('base64')}`;
    const content = [
      { type: 'text', text: 'what is it' },
      { type: 'image_url', image_url: { url } },
    ];
    const { choices } = await chat.create({ model, messages: [{ role: 'user', content }] });
    isAnswer(choices[0].message.content, 'what is it');
  },
  async 'chat streamed'() {
    const chunks = await gathered(await chat.create({ model, messages: said('streamed'), stream: true }));
    isAnswer(textOf(chunks), 'streamed');
    expect(
      chunks[0].choices[0].delta.role === 'assistant' && chunks.at(-1).choices[0].finish_reason === 'stop',
      chunks,
    );
  },
  async 'chat streamed with usage'() {
    const stream_options = { include_usage: true };
    const chunks = await gathered(
      await chat.create({ model, messages: said('usage'), stream: true, stream_options }),
    );
    expect(chunks.at(-1).choices.length === 0 && chunks.at(-1).usage.total_tokens === 7, chunks.at(-1));
  },
  async 'chat streamed, of a sandbox model'() {
    const body = { model: 'sandbox-text', messages: said('a storm'), stream: true };
    expect(textOf(await gathered(await chat.create(body))).length > 0);
  },
  async 'chat whose stream ends with an error'() {
    const failing = { fail: 'MODEL_OVERLOADED', fail_after_tokens: 2, tokens: 8 };
    const body = { model: 'sandbox-text', messages: said('broken'), stream: true, ...failing };
    const chunks = [];
    const read = async () => {
      for await (const chunk of await chat.create(body)) chunks.push(chunk);
    };
    await fails(read(), 'APIError');
    expect(chunks[0].choices[0].delta.role === 'assistant', chunks);
  },
  async 'chat.stream()'() {
    const stream = chat.stream({ model, messages: said('helper') });
    isAnswer(await stream.finalContent(), 'helper');
    expect((await stream.finalChatCompletion()).choices[0].finish_reason === 'stop');
  },
  async 'chat.stream() left in the middle'() {
    const stream = await chat.create({ model, messages: said('left'), stream: true });
    for await (const _chunk of stream) break;
  },
  async 'chat.parse()'() {
    const response_format = { type: 'json_schema', json_schema };
    const { choices } = await chat.parse({ model, messages: said('parsed'), response_format });
    expect(JSON.parse(choices[0].message.content).age === 36, choices);
  },
  async 'chat with JSON'() {
    const response_format = { type: 'json_object' };
    const { choices } = await chat.create({ model, messages: said('json'), response_format });
    expect(JSON.parse(choices[0].message.content).name === 'Ada', choices);
  },
  async 'chat with tools'() {
    const messages = said('tools');
    const first = await chat.create({ model, messages, tools, tool_choice: 'auto' });
    const [{ message, finish_reason }] = first.choices;
    expect(
      finish_reason === 'tool_calls' && JSON.parse(message.tool_calls[0].function.arguments).city === 'Oslo',
      first,
    );
    const answer = { role: 'tool', tool_call_id: message.tool_calls[0].id, content: '11 degrees' };
    const second = await chat.create({ model, messages: [...messages, message, answer], tools });
    isAnswer(second.choices[0].message.content, '11 degrees');
  },
  async 'chat with tools, streamed'() {
    const stream = chat.stream({ model, messages: said('streamed tools'), tools });
    const { choices } = await stream.finalChatCompletion();
    expect(JSON.parse(choices[0].message.tool_calls[0].function.arguments).city === 'Oslo', choices);
  },
  async 'chat.runTools()'() {
    const run = (args) => {
      expect(JSON.parse(args).city === 'Oslo', args);
      return 'sunny';
    };
    const runner = chat.runTools({
      model,
      messages: said('run tools'),
      tools: [{ type: 'function', function: { ...tools[0].function, function: run } }],
    });
    isAnswer(await runner.finalContent(), 'sunny');
  },
  async completions() {
    const { choices } = await client.completions.create({ model, prompt: 'older' });
    isAnswer(choices[0].text, 'older');
  },
  async 'completions streamed'() {
    const chunks = await gathered(
      await client.completions.create({ model, prompt: 'older, streamed', stream: true }),
    );
    isAnswer(chunks.map(({ choices }) => choices[0]?.text ?? '').join(''), 'older, streamed');
  },
  'an unknown model': () =>
    fails(chat.create({ model: 'none', messages: said('x') }), 'NotFoundError', 404, 'model_not_found'),
  'a wrong key': () =>
    fails(new OpenAI({ apiKey: 'sk_wrong' }).models.list(), 'AuthenticationError', 401, 'invalid_api_key'),
  'no messages': () => fails(chat.create({ model, messages: [] }), 'BadRequestError', 400),
  async 'two choices'() {
    const { choices, usage } = await chat.create({ model, messages: said('choices'), n: 2 });
    for (const { message } of choices) isAnswer(message.content, 'choices');
    expect(choices.length === 2 && choices[1].index === 1 && usage.total_tokens > 0, choices);
  },
  async 'two choices, streamed'() {
    const { choices } = await chat.stream({ model, messages: said('streams'), n: 2 }).finalChatCompletion();
    for (const { message } of choices) isAnswer(message.content, 'streams');
    expect(choices.length === 2, choices);
  },
  'too many choices': () => fails(chat.create({ model, messages: said('x'), n: 17 }), 'BadRequestError', 400),
  'a run that fails': () =>
    fails(chat.create({ model, messages: [{ role: 'user', content: 'fail node' }] }), 'BadRequestError', 400),
  'an endpoint that is not there': () =>
    fails(
      client.beta.assistants ? client.beta.assistants.list() : client.get('/assistants'),
      'NotFoundError',
      404,
      'unsupported_endpoint',
    ),
  async responses() {
    const found = await client.responses.create({ model, input: 'a response' });
    isAnswer(found.output_text, 'a response');
    expect(found.status === 'completed' && found.usage.total_tokens === 7, found);
  },
  async 'responses with a list and instructions'() {
    const input = [{ role: 'user', content: [{ type: 'input_text', text: 'a list' }] }];
    isAnswer(
      (await client.responses.create({ model, input, instructions: 'Be brief.' })).output_text,
      'a list',
    );
  },
  async 'responses.parse()'() {
    const text = { format: { type: 'json_schema', ...json_schema } };
    const found = await client.responses.parse({ model, input: 'a person', text });
    expect(JSON.parse(found.output_text).name === 'Ada', found);
  },
  async 'responses with tools'() {
    const own = [{ type: 'function', strict: false, ...tools[0].function }];
    const found = await client.responses.create({ model, input: 'a call', tools: own });
    const call = found.output.find(({ type }) => type === 'function_call');
    expect(JSON.parse(call.arguments).city === 'Oslo', found);
    const input = [
      { role: 'user', content: 'a call' },
      call,
      { type: 'function_call_output', call_id: call.call_id, output: 'rain' },
    ];
    isAnswer((await client.responses.create({ model, input, tools: own })).output_text, 'rain');
  },
  async 'responses in a conversation'() {
    const first = await client.responses.create({ model, input: 'my name is Ada' });
    const next = await client.responses.create({ model, input: 'and now', previous_response_id: first.id });
    isAnswer(next.output_text, 'and now');
    const items = await gathered(client.responses.inputItems.list(next.id, { limit: 2, order: 'asc' }));
    expect(items.length === 3 && items[0].content[0].text === 'my name is Ada', items);
  },
  async 'responses streamed'() {
    const events = await gathered(await client.responses.create({ model, input: 'events', stream: true }));
    isAnswer(
      events.at(-1).response.output_text ?? events.at(-1).response.output[0].content[0].text,
      'events',
    );
    expect(
      events.every(({ sequence_number: n }, index) => n === index),
      events,
    );
    const deltas = events.filter(({ type }) => type === 'response.output_text.delta');
    isAnswer(deltas.map(({ delta }) => delta).join(''), 'events');
  },
  async 'responses.stream()'() {
    const found = await client.responses.stream({ model, input: 'a helper' }).finalResponse();
    isAnswer(found.output_text, 'a helper');
  },
  async 'responses in the background'() {
    background = await client.responses.create({
      model: 'sandbox-text',
      input: 'in the background',
      background: true,
    });
    expect(['queued', 'in_progress', 'completed'].includes(background.status), background);
    const found = await ended(background.id);
    expect(found.status === 'completed' && found.output_text.length > 0, found);
  },
  async 'responses in the background, streamed'() {
    const body = { model, input: 'watched', background: true, stream: true };
    streamed = await gathered(await client.responses.create(body));
    expect(
      streamed[0].type === 'response.created' && streamed.at(-1).type === 'response.completed',
      streamed,
    );
  },
  async 'responses.retrieve, resumed'() {
    const { id } = streamed[0].response;
    const rest = await gathered(await client.responses.retrieve(id, { stream: true, starting_after: 2 }));
    const numbers = rest.map(({ sequence_number: n }) => n);
    expect(numbers[0] === 3 && numbers.at(-1) === streamed.at(-1).sequence_number, numbers);
  },
  async 'responses.inputItems.list'() {
    const items = await gathered(client.responses.inputItems.list(background.id));
    expect(items[0].content[0].text === 'in the background', items);
  },
  async 'responses.cancel'() {
    const body = { model: 'sandbox-text', input: 'cancelled', background: true, delay_ms: 60_000 };
    const { id } = await client.responses.create(body);
    expect((await client.responses.cancel(id)).status === 'cancelled');
    expect((await ended(id)).status === 'cancelled');
  },
  async 'responses.delete'() {
    await client.responses.delete(background.id);
    await fails(client.responses.retrieve(background.id), 'NotFoundError', 404);
  },
  'responses.retrieve of none': () => fails(client.responses.retrieve('resp_none'), 'NotFoundError', 404),
  async 'embeddings in base64, as the client asks'() {
    const { data } = await client.embeddings.create({ model: 'embedder', input: ['one', 'two'] });
    expect(data.length === 2 && [...data[0].embedding].join() === '0.5,-0.25,0', data);
  },
  async 'embeddings as floats'() {
    const { data } = await client.embeddings.create({
      model: 'embedder',
      input: 'one',
      encoding_format: 'float',
    });
    expect(data[0].embedding.join() === '0.5,-0.25,0', data);
  },
  async 'embeddings of tokens'() {
    const { data } = await client.embeddings.create({ model: 'embedder', input: [[1, 2], [3]] });
    expect(data.length === 2 && data[1].embedding.join() === '0.5,-0.25,1', data);
  },
  async 'images.generate'() {
    const { data } = await client.images.generate({
      model: 'gpt-image-1',
      prompt: 'a lighthouse',
      quality: 'low',
    });
    expect(data[0].b64_json.startsWith('iVBOR'), data);
  },
  async 'images.generate with a URL'() {
    const { data } = await client.images.generate({
      model: 'sandbox-image',
      prompt: 'a lighthouse',
      size: '64x64',
      response_format: 'url',
    });
    expect((await fetch(data[0].url)).ok, data);
  },
  async 'images.generate streamed'() {
    const body = {
      model: 'sandbox-image',
      prompt: 'a stream',
      size: '64x64',
      stream: true,
      partial_images: 1,
    };
    const events = await gathered(await client.images.generate(body));
    const types = events.map(({ type }) => type).join();
    expect(types === 'image_generation.partial_image,image_generation.completed', types);
    expect(events.every(({ b64_json: image }) => image.startsWith('iVBOR')));
  },
  async 'images.edit'() {
    const image = await toFile(png, 'image.png', { type: 'image/png' });
    const { data } = await client.images.edit({ model: 'gpt-image-1-edit', prompt: 'redder', image });
    expect(data[0].b64_json.startsWith('iVBOR'), data);
  },
  async 'images.edit streamed'() {
    const image = await toFile(png, 'image.png', { type: 'image/png' });
    const body = { model: 'gpt-image-1-edit', prompt: 'redder still', image, stream: true };
    const last = (await gathered(await client.images.edit(body))).at(-1);
    expect(last.type === 'image_edit.completed' && last.b64_json.startsWith('iVBOR'), last);
  },
  async 'images.createVariation'() {
    const image = await toFile(png, 'image.png', { type: 'image/png' });
    const body = { model: 'image-transform', image, size: '32x32', response_format: 'b64_json' };
    const { data } = await client.images.createVariation(body);
    expect(data[0].b64_json.startsWith('iVBOR'), data);
  },
  async 'audio.speech'() {
    const speech = await client.audio.speech.create({ model: 'speaker', voice: 'alloy', input: 'hello' });
    expect((await speech.arrayBuffer()).byteLength === 3000);
  },
  async 'audio.speech streamed'() {
    const body = { model: 'speaker', voice: 'alloy', input: 'in pieces', stream_format: 'sse' };
    const events = await (await client.audio.speech.create(body)).text();
    const lines = events.split('\n').filter((line) => line.startsWith('data: '));
    const pieces = lines.map((line) => JSON.parse(line.slice(6)));
    const audio = pieces.map((piece) => Buffer.from(piece.audio ?? '', 'base64'));
    expect(Buffer.concat(audio).length === 3000 && pieces.at(-1).type === 'speech.audio.done', events);
  },
  ...heardAs('transcriptions', 'hello there'),
  ...heardAs('translations', 'hello, in English'),
  async 'audio.transcriptions streamed'() {
    const file = await toFile(wav, 'audio.wav', { type: 'audio/wav' });
    const events = await gathered(
      await client.audio.transcriptions.create({ model: 'whisper-1', file, stream: true }),
    );
    expect(events.at(-1).type === 'transcript.text.done' && events.at(-1).text === 'hello there', events);
  },
  async files() {
    const file = await toFile(Buffer.from('some lines'), 'lines.jsonl', { type: 'application/jsonl' });
    const { id } = await client.files.create({ file, purpose: 'user_data' });
    const found = await client.files.waitForProcessing(id);
    expect(found.bytes === 10 && found.filename === 'lines.jsonl' && found.purpose === 'user_data', found);
    const other = await client.files.create({ file, purpose: 'user_data' });
    const listed = (await gathered(client.files.list({ limit: 1 }))).map((one) => one.id);
    expect(listed[0] === other.id && listed[1] === id, listed);
    const ascending = (await gathered(client.files.list({ limit: 1, order: 'asc' }))).map((one) => one.id);
    expect(ascending.join() === listed.toReversed().join(), ascending);
    expect((await (await client.files.content(id)).text()) === 'some lines');
    expect((await client.files.delete(id)).deleted);
    await fails(client.files.retrieve(id), 'NotFoundError', 404);
  },
  async moderations() {
    const { results } = await client.moderations.create({ input: ['a lighthouse', 'I will kill you'] });
    expect(results.map(({ flagged }) => flagged).join() === 'false,true', results);
    expect(results[1].categories.violence && results[1].category_scores.violence > 0.5, results);
  },
  async 'moderations of an image, by a model of the upstream'() {
    const url = `data:image/png;base64,${png.toString('base64')}`;
    const input = [
      { type: 'text', text: 'a fight' },
      { type: 'image_url', image_url: { url } },
    ];
    const { id, model: by, results } = await client.moderations.create({ model: 'moderator', input });
    expect(id.startsWith('modr-') && by === 'moderator' && results[0].flagged, results);
  },
  'moderations by a model that offers none': () =>
    fails(client.moderations.create({ model, input: 'x' }), 'BadRequestError', 400, 'model_not_supported'),
  async uploads() {
    const whole = { filename: 'large.csv', mime_type: 'text/csv', purpose: 'user_data', bytes: 9 };
    const { id, status } = await client.uploads.create(whole);
    expect(status === 'pending', status);
    const part_ids = [];
    for (const piece of ['one,', 'three']) {
      const part = await client.uploads.parts.create(id, { data: await toFile(Buffer.from(piece)) });
      part_ids.push(part.id);
    }
    const { file } = await client.uploads.complete(id, { part_ids });
    expect(file.purpose === 'user_data' && file.filename === 'large.csv', file);
    expect((await (await client.files.content(file.id)).text()) === 'one,three');
  },
  async 'uploads.cancel'() {
    const whole = { filename: 'a.csv', mime_type: 'text/csv', purpose: 'user_data', bytes: 1 };
    const { id } = await client.uploads.create(whole);
    expect((await client.uploads.cancel(id)).status === 'cancelled');
    const part = client.uploads.parts.create(id, { data: await toFile(Buffer.from('x')) });
    await fails(part, 'NotFoundError', 404);
  },
  async 'videos, and a remix of one'() {
    const asked = { model: 'film', prompt: 'a harbour', seconds: '4' };
    const { id, status } = await client.videos.create(asked);
    expect(['queued', 'in_progress'].includes(status), status);
    expect((await ended(id, client.videos)).status === 'completed');
    const content = await client.videos.downloadContent(id);
    expect((await content.arrayBuffer()).byteLength > 1000);
    const remix = await client.videos.remix(id, { prompt: 'at night' });
    expect(remix.remixed_from_video_id === id && remix.id !== id, remix);
    expect((await ended(remix.id, client.videos)).progress === 100);
    const listed = (await gathered(client.videos.list({ limit: 1 }))).map((one) => one.id);
    expect(listed[0] === remix.id && listed[1] === id, listed);
    const ascending = (await gathered(client.videos.list({ limit: 1, order: 'asc' }))).map((one) => one.id);
    expect(ascending.join() === listed.toReversed().join(), ascending);
    for (const one of [id, remix.id]) expect((await client.videos.delete(one)).deleted);
    await fails(client.videos.retrieve(id), 'NotFoundError', 404);
  },
  async 'videos of a sandbox model'() {
    const input_reference = await toFile(png, 'first.png', { type: 'image/png' });
    const asked = { model: 'sandbox-video', prompt: 'a lighthouse', seconds: '8', input_reference };
    const { id } = await client.videos.create(asked);
    expect((await ended(id, client.videos)).status === 'completed');
    const film = Buffer.from(await (await client.videos.downloadContent(id)).arrayBuffer());
    expect(film.includes('ftypisom'), film.length);
    await fails(client.videos.downloadContent(id, { variant: 'thumbnail' }), 'BadRequestError', 400);
    expect((await client.videos.delete(id)).deleted);
  },
  'videos.create by a model that makes none': () =>
    fails(client.videos.create({ model, prompt: 'a film' }), 'BadRequestError', 400),
};

for (const [name, call] of Object.entries(calls)) {
  const problem = await call().then(
    () => null,
    (error) => `${error.constructor.name}: ${error.message}`,
  );
  console.log(JSON.stringify({ name, problem }));
}
