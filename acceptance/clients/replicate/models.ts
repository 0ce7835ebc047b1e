import type { ModelFile } from '@holdfast/domain/modelDefinition';

type Sample = { runs: string; field?: string; delayMs?: number; aliases: string[] } & Pick<
  ModelFile,
  'output'
> &
  Partial<ModelFile>;

/** The models of samples by what the sandbox runs for them. `field`: what the sample calls the field that is required. */
const samples: readonly Sample[] = [
  {
    runs: 'sandbox-text',
    aliases: ['meta/meta-llama-3-70b-instruct', 'meta/llama-2-70b-chat'],
    output: { kind: 'text' },
    stream: 'text',
    on_cancel: 'charge',
  },
  { runs: 'sandbox-video', aliases: ['minimax/video-01'], output: { kind: 'videos' } },
  {
    runs: 'sandbox-text',
    field: 'text',
    aliases: ['replicate/hello-world:5c7d5dc6dd8bf75c1acaa8565735e7986bc5b66206b55cca93cb72c9bf15ccaa'],
    output: { kind: 'text' },
  },
  {
    runs: 'sandbox-image',
    aliases: [
      'acme/my-app-image-generator',
      'black-forest-labs/flux-schnell:fs1',
      'stability-ai/stable-diffusion:27b93a2413e7f36cd83da926f3656280b2931564ff050bf9575f1fdf9bcd7478',
      'stability-ai/stable-diffusion-3',
      'stability-ai/sdxl:8beff3369e81422112d93b89ca01426147de542cd4684c244b673b105188fe5f',
      'stability-ai/sdxl:39ed52f2a78e934b3ba6e2a89f5b1c712de7dfea535525255b1aa35c5565e08b',
      'ai-forever/kandinsky-2.2:ea1addaab376f4dc227f5368bbd8eff901820fd1cc14ed8cad63b29249e9d463',
    ],
    output: { kind: 'images' },
  },
  {
    runs: 'sandbox-image',
    // A sample cancels it while it runs.
    delayMs: 5000,
    aliases: ['kvfrans/clipdraw:5797a99edc939ea0e9242d5e8c9cb3bc7d125b1eac21bda852e5cb79ede2cd9b'],
    output: { kind: 'images' },
  },
  {
    runs: 'sandbox-image',
    field: 'prompts',
    aliases: ['pixray/text2image:5c347a4bfa1d4523a58ae614c2194e15f2ae682b57e3797a5bb468920aa70ebf'],
    output: { kind: 'images' },
  },
  {
    runs: 'image-transform',
    field: 'image',
    aliases: [
      'nightmareai/real-esrgan:42fed1c4974146d4d2414e2be2c5277c7fcf05fcc3a73abf41610695738c1d7b',
      'andreasjansson/blip-2:f677695e5e89f8b236e52ecd1d3f01beb44c34606419bcc19345e046d8f786f9',
      'acme/portraits:19deaef633fd44776c82edf39fd60e95a7250b8ececf11a725229dc75a81f9ca',
    ],
    output: { kind: 'images' },
  },
];

export const sampleModels: ModelFile[] = samples.map(({ runs, field, delayMs, aliases, ...more }, index) => {
  const isFile = runs === 'image-transform';
  const theirs = isFile ? 'source_image' : 'prompt';
  const ours = field ?? theirs;
  return {
    slug: `sample-${index}`,
    aliases,
    provider: {
      adapter: 'cog',
      connection: 'sandbox',
      model: runs,
      input: {
        ...(ours !== theirs && { rename: { [ours]: theirs } }),
        ...(delayMs && { set: { delay_ms: delayMs } }),
      },
    },
    input_schema: {
      type: 'object',
      additionalProperties: false,
      properties: { [ours]: { type: 'string', ...(isFile && { format: 'file' }) } },
      required: [ours],
    },
    price: { per_run: '0.01' },
    ...more,
  };
});
