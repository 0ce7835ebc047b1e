// app/hook/route.js of a Next application: receives webhooks.
import { nextHandler } from '@holdfast/sdk/webhooks';

export const POST = nextHandler({
  secret: process.env.WEBHOOK_SECRET,
  onEvent: (event) => console.log(event.type, event.id),
});
