import { describe, expect, it } from '@jest/globals';
import { faceGateway } from '../testing/faceGateway.ts';

const { post, run, gateway, organizationId } = await faceGateway('openai', [
  {
    slug: 'talker',
    input_schema: {
      type: 'object',
      additionalProperties: false,
      properties: {
        messages: { type: 'array', items: { type: 'object' } },
        tools: { type: 'array' },
        response_format: { type: 'object' },
        max_tokens: { type: 'integer' },
      },
    },
    output: { kind: 'text' },
  },
]);
const { db } = gateway.context;
const png = `data:image/png;base64,${Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
).toString('base64')}`;
const uploads = () =>
  db.prisma.file.count({
    where: { organizationId, origin: 'upload', NOT: { expiresAt: { lte: new Date() } } },
  });

const text = async () => ({ text: 'hello' });
let count = 0;
const said = () => `question ${count++}`;

describe('a model that takes messages', () => {
  it('gets the conversation as it is, with tools and the format of the response', async () => {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: said() },
    ];
    const tools = [{ type: 'function', function: { name: 'weather', parameters: {} } }];
    const response_format = { type: 'json_object' };
    const sent = post('/chat/completions').send({
      model: 'talker',
      messages,
      tools,
      response_format,
      max_completion_tokens: 9,
      store: true,
    });
    const { execution } = await run(sent, text);
    expect(execution.input).toEqual({ messages, tools, response_format, max_tokens: 9 });
  });

  it('gets images as files of the organization, which a repetition does not store again', async () => {
    const before = await uploads();
    const content = [
      { type: 'text', text: said() },
      { type: 'image_url', image_url: { url: png, detail: 'low' } },
    ];
    const send = () =>
      post('/chat/completions').send({ model: 'talker', messages: [{ role: 'user', content }] });
    const { execution } = await run(send(), text);
    const { messages } = execution.input as {
      messages: { content: { image_url?: { url: string; detail: string } }[] }[];
    };
    expect(messages[0]?.content[1]?.image_url).toEqual({
      url: expect.stringMatching(/^file_/),
      detail: 'low',
    });
    expect(await uploads()).toBe(before + 1);
    const again = await send().set('x-stainless-retry-count', '1');
    expect([again.headers['holdfast-joined'], await uploads()]).toEqual(['true', before + 1]);
  });

  it('refuses an image at a private address, and keeps nothing', async () => {
    const before = await uploads();
    const content = [{ type: 'image_url', image_url: 'http://127.0.0.1/a.png' }];
    const { status, body } = await post('/chat/completions').send({
      model: 'talker',
      messages: [{ role: 'user', content }],
    });
    expect([status, body.error.param, await uploads()]).toEqual([400, 'messages', before]);
  });

  it('goes on from a previous response', async () => {
    const question = said();
    const first = await run(
      post('/responses').send({ model: 'talker', input: question, instructions: 'Be brief.' }),
      text,
    );
    const sent = post('/responses').send({
      model: 'talker',
      previous_response_id: first.response.body.id,
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'And then?' },
            { type: 'input_image', image_url: png },
          ],
        },
      ],
      tools: [{ type: 'function', name: 'weather', parameters: {} }],
      text: { format: { type: 'json_schema', name: 'a', schema: {} } },
    });
    const { execution } = await run(sent, text);
    expect(execution.input).toEqual({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: question },
        { role: 'assistant', content: 'hello' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'And then?' },
            { type: 'image_url', image_url: { url: expect.stringMatching(/^file_/) } },
          ],
        },
      ],
      tools: [{ type: 'function', function: { name: 'weather', parameters: {} } }],
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema: {} } },
    });
  });

  it('returns the calls of its tools, and gets their results', async () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } };
    const calls = async () => ({ text: '', tool_calls: [call] });
    const chat = await run(
      post('/chat/completions').send({ model: 'talker', messages: [{ role: 'user', content: said() }] }),
      calls,
    );
    expect(chat.response.body.choices[0]).toMatchObject({
      message: { content: null, tool_calls: [call] },
      finish_reason: 'tool_calls',
    });
    const made = await run(post('/responses').send({ model: 'talker', input: said() }), calls);
    expect(made.response.body.output).toMatchObject([
      { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{}' },
    ]);
    const input = [
      { role: 'user', content: said() },
      ...made.response.body.output,
      { type: 'function_call_output', call_id: 'call_1', output: 'sun' },
    ];
    const { execution } = await run(post('/responses').send({ model: 'talker', input }), text);
    const { messages } = execution.input as { messages: object[] };
    expect(messages.slice(1)).toMatchObject([
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: 'sun' },
    ]);
  });

  it('gets the calls of an earlier response, which a request names or refers to, in one message', async () => {
    const calls = ['call_1', 'call_2'].map((id) => ({
      id,
      type: 'function',
      function: { name: 'weather', arguments: '{}' },
    }));
    const question = said();
    const made = await run(post('/responses').send({ model: 'talker', input: question }), async () => ({
      text: '',
      tool_calls: calls,
    }));
    const { id, output } = made.response.body as { id: string; output: { id: string }[] };
    const results = calls.map((call) => ({ type: 'function_call_output', call_id: call.id, output: 'sun' }));
    const asked = { role: 'user', content: question };
    const references = output.map((item) => ({ type: 'item_reference', id: item.id }));
    for (const request of [
      { previous_response_id: id, input: results },
      { input: [asked, { type: 'reasoning', summary: [] }, ...references, ...results] },
    ]) {
      const sent = post('/responses').send({ model: 'talker', ...request });
      const { execution } = await run(sent, text);
      expect(execution.input).toEqual({
        messages: [
          asked,
          { role: 'assistant', content: null, tool_calls: calls },
          ...calls.map((call) => ({ role: 'tool', tool_call_id: call.id, content: 'sun' })),
        ],
      });
    }
  });

  it.each([
    ['an item that is not there', { input: [{ type: 'item_reference', id: 'msg_none' }] }, 'input'],
    [
      'a response that is not there',
      { input: 'a', previous_response_id: 'resp_none' },
      'previous_response_id',
    ],
    ['a conversation', { input: 'a', conversation: 'conv_1' }, 'conversation'],
    ['a prompt of OpenAI', { input: 'a', prompt: { id: 'pmpt_1' } }, 'prompt'],
  ])('refuses %s', async (_what, request, param) => {
    const { status, body } = await post('/responses').send({ model: 'talker', ...request });
    expect([status, body.error.param]).toEqual([400, param]);
  });
});
