// Two images of the model in the environment, as OpenAI's client returns them, with their headers.
import OpenAI from 'openai';

const { PROMPT: prompt } = process.env;
const body = { model: 'gpt-image-1', prompt, n: 2, size: '1536x1024' };
const { data, response } = await new OpenAI().images.generate(body).withResponse();
const images = data.data.map(({ b64_json: image }) => Buffer.from(image, 'base64').length);
console.log(JSON.stringify({ ...data, data: images, headers: [...response.headers] }));
