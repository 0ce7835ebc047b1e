// What the SDK reads of a webhook, whose body and headers are in the environment. It verifies the signature.
import OpenAI from 'openai';

const { BODY, HEADERS, SECRET } = process.env;
console.log(JSON.stringify(await new OpenAI().webhooks.unwrap(BODY, JSON.parse(HEADERS), SECRET)));
