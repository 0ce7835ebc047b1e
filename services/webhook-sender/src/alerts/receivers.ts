import { createHash } from 'node:crypto';
import { openMailer } from '@holdfast/egress/mail';
import type { SealedBox } from '@holdfast/kit/sealedBox';
import type { Send } from '../message.ts';
import { errorOf } from '../verdict.ts';
import type { AlertConfig } from './config.ts';
import { type Message, mailOf, webhookBody } from './content.ts';

/** Null: it has arrived; else why not. Never rejects. */
type Deliver = (message: Message) => Promise<string | null>;

/** By names that tell nothing: the URLs of chat services are secrets. */
export type Receivers = ReadonlyMap<string, Deliver>;

export function openReceivers(
  config: AlertConfig,
  { send, box }: { send: Send; box: SealedBox },
): { receivers: Receivers; close(): void } {
  const { ALERT_WEBHOOK_URLS: urls, ALERT_WEBHOOK_SECRET: secret, ALERT_EMAIL_TO: to } = config;
  const { ALERT_EMAIL_FROM: from, SMTP_URL: smtpUrl } = config;
  const receivers = new Map<string, Deliver>();
  if (secret !== undefined) {
    const sealed = box.seal(secret);
    for (const url of urls)
      receivers.set(nameOf(url), async (message) => await post(send, url, sealed, message));
  }
  if (to.length === 0 || from === undefined || smtpUrl === undefined) return { receivers, close() {} };
  const mailer = openMailer({ url: smtpUrl, from, to });
  receivers.set('email', async (message) => await mailer.send(mailOf(message)));
  return { receivers, close: mailer.close };
}

function nameOf(url: string): string {
  return `webhook:${createHash('sha256').update(url).digest('hex').slice(0, 12)}`;
}

async function post(send: Send, url: string, secret: string, message: Message): Promise<string | null> {
  const result = await send({
    url,
    eventId: message.id,
    body: webhookBody(message),
    secret,
    previousSecret: null,
    isPreviousPrimary: false,
    traceparent: null,
    headers: null,
  });
  return result.ok && result.status >= 200 && result.status <= 299 ? null : errorOf(result);
}
