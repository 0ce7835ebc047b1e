// One order is one execution, however often this program runs, and whenever it crashes.
import { deriveKey, ExecutionError, Holdfast, HoldfastError } from '@holdfast/sdk';

const order = { number: process.argv[2] ?? 'A-17', prompt: 'Ahoy' };
const client = new Holdfast();
try {
  const { execution } = await client.run(
    'sandbox-text',
    { prompt: order.prompt },
    { idempotencyKey: deriveKey({ order: order.number }), metadata: { order: order.number } },
  );
  console.log(`order ${order.number} is ${execution.id}, charged ${execution.cost}`);
} catch (error) {
  if (error instanceof ExecutionError) console.log(`the model failed with ${error.code}; nothing is charged`);
  else if (error instanceof HoldfastError)
    console.log(`${error.code} (${error.requestId}): run this program again`);
  else throw error;
}
