// What the SDK reads of the webhooks in the environment, a line for each. It verifies their signatures.
import OpenAI from 'openai';

const { WEBHOOKS, SECRET } = process.env;
for (const { body, headers } of JSON.parse(WEBHOOKS))
  console.log(JSON.stringify(await new OpenAI().webhooks.unwrap(body, headers, SECRET)));
