// Frameworks over OpenAI's API: OPENAI_BASE_URL and OPENAI_API_KEY are all that they are told. Prints a line for each call.
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';
import * as ai from 'ai';
import { z } from 'zod';

const wav = Buffer.concat([
  Buffer.from('524946464c1f000057415645666d74201000000001000100401f0000803e000002001000', 'hex'),
  Buffer.from('64617461401f0000', 'hex'),
  Buffer.alloc(8000),
]);
const { OPENAI_BASE_URL: baseURL, OPENAI_API_KEY: apiKey } = process.env;
const compatible = createOpenAICompatible({ name: 'holdfast', baseURL, apiKey });
const openai = createOpenAI({ baseURL, apiKey });
const model = 'gpt-4o-mini';
const langchain = (fields) => new ChatOpenAI({ model, apiKey, configuration: { baseURL }, ...fields });
const person = z.object({ name: z.string(), age: z.number() });
const weather = ai.tool({
  description: 'The weather of a city',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `sunny in ${city}`,
});

function expect(isTrue, seen) {
  if (!isTrue) throw new Error(`unexpected: ${JSON.stringify(seen)}`);
}
const isAnswer = (text, to) => expect(text.includes(to) && text.endsWith('That is all.'), text);

const calls = {
  async 'ai: generateText'() {
    isAnswer((await ai.generateText({ model: compatible(model), prompt: 'ai text' })).text, 'ai text');
  },
  async 'ai: streamText'() {
    const { textStream } = ai.streamText({ model: compatible(model), prompt: 'ai stream' });
    isAnswer((await Array.fromAsync(textStream)).join(''), 'ai stream');
  },
  async 'ai: generateText with tools'() {
    const { text } = await ai.generateText({
      model: compatible(model),
      prompt: 'ai tools',
      tools: { weather },
      stopWhen: ai.isStepCount(3),
    });
    isAnswer(text, 'sunny in Oslo');
  },
  async 'ai: responses with tools'() {
    const { text } = await ai.generateText({
      model: openai(model),
      prompt: 'ai responses with tools',
      tools: { weather },
      stopWhen: ai.isStepCount(3),
    });
    isAnswer(text, 'sunny in Oslo');
  },
  async 'ai: streamText with tools'() {
    const { textStream } = ai.streamText({
      model: compatible(model),
      prompt: 'ai streamed tools',
      tools: { weather },
      stopWhen: ai.isStepCount(3),
    });
    isAnswer((await Array.fromAsync(textStream)).join(''), 'sunny in Oslo');
  },
  async 'ai: an object'() {
    const output = ai.Output.object({ schema: person });
    const done = await ai.generateText({ model: openai.chat(model), prompt: 'ai object', output });
    expect(done.output.age === 36, done.output);
  },
  async 'ai: embedMany'() {
    const embedder = compatible.embeddingModel('embedder');
    const { embeddings } = await ai.embedMany({ model: embedder, values: ['ai one', 'ai two'] });
    expect(embeddings[1].join() === '0.5,-0.25,1', embeddings);
  },
  async 'ai: generateImage'() {
    const { image } = await ai.generateImage({
      model: compatible.imageModel('sandbox-image'),
      prompt: 'ai image',
      size: '64x64',
    });
    expect(image.uint8Array.length > 100, image.uint8Array.length);
  },
  async 'ai: OpenAI, responses'() {
    isAnswer((await ai.generateText({ model: openai(model), prompt: 'ai responses' })).text, 'ai responses');
  },
  async 'ai: OpenAI, responses streamed'() {
    const { textStream } = ai.streamText({ model: openai(model), prompt: 'ai events' });
    isAnswer((await Array.fromAsync(textStream)).join(''), 'ai events');
  },
  async 'ai: OpenAI, chat'() {
    isAnswer((await ai.generateText({ model: openai.chat(model), prompt: 'ai chat' })).text, 'ai chat');
  },
  async 'ai: OpenAI, speech'() {
    const { audio } = await ai.generateSpeech({
      model: openai.speech('speaker'),
      text: 'ai speech',
      voice: 'alloy',
    });
    expect(audio.uint8Array.length === 3000, audio.uint8Array.length);
  },
  async 'ai: OpenAI, transcription'() {
    const { text } = await ai.transcribe({ model: openai.transcription('whisper-1'), audio: wav });
    expect(text === 'hello there', text);
  },
  async 'LangChain: invoke'() {
    isAnswer((await langchain().invoke('langchain text')).content, 'langchain text');
  },
  async 'LangChain: stream'() {
    let text = '';
    for await (const chunk of await langchain().stream('langchain stream')) text += chunk.text;
    isAnswer(text, 'langchain stream');
  },
  async 'LangChain: withStructuredOutput'() {
    const found = await langchain().withStructuredOutput(person).invoke('langchain object');
    expect(found.name === 'Ada', found);
  },
  async 'LangChain: tools'() {
    const schema = { type: 'object', properties: { city: { type: 'string' } } };
    const tool = { type: 'function', function: { name: 'weather', parameters: schema } };
    const { tool_calls } = await langchain().bindTools([tool]).invoke('langchain tools');
    expect(tool_calls[0].args.city === 'Oslo', tool_calls);
  },
  async 'LangChain: responses'() {
    const { content } = await langchain({ useResponsesApi: true }).invoke('langchain responses');
    isAnswer(typeof content === 'string' ? content : content[0].text, 'langchain responses');
  },
  async 'LangChain: embeddings'() {
    const embeddings = new OpenAIEmbeddings({ model: 'embedder', apiKey, configuration: { baseURL } });
    expect((await embeddings.embedQuery('langchain')).join() === '0.5,-0.25,0');
  },
};

for (const kind of ['speechModel', 'transcriptionModel'])
  if (!(kind in compatible)) {
    const skipped = 'the package has none, @ai-sdk/openai is called instead';
    console.log(JSON.stringify({ name: `${kind} of @ai-sdk/openai-compatible`, skipped }));
  }

for (const [name, call] of Object.entries(calls)) {
  const problem = await call().then(
    () => null,
    (error) => `${error.constructor.name}: ${error.message}`,
  );
  console.log(JSON.stringify({ name, problem }));
}
