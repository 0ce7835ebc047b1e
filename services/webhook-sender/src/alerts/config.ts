import { severities } from '@holdfast/domain/attention';
import { smtpUrlProblems } from '@holdfast/egress/mail';
import { listOf, positiveInt } from '@holdfast/kit/config';
import { z } from 'zod';

const isWebUrl = (text: string) => /^https?:\/\//.test(text) && URL.canParse(text);
/** As in a header: with a name, or alone. */
const isAddress = (text: string) => /^(?:[^<>@]*<)?[^<>@\s]+@[^<>@\s]+>?$/.test(text) && !/[\r\n]/.test(text);

const list = (isValid: (text: string) => boolean, problem: string) =>
  z
    .string()
    .default('')
    .transform(listOf)
    .refine((items) => items.every(isValid), problem);

/** Messages must not repeat URLs and secrets: they are secret. */
export const alertConfig = {
  ALERT_WEBHOOK_URLS: list(isWebUrl, 'must be URLs, comma-separated').describe(
    'Where alerts are posted (docs/operate/notify.md): URLs that the egress policy allows, comma-separated',
  ),
  ALERT_WEBHOOK_SECRET: z
    .string()
    .regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/, 'must be whsec_ and base64 of at least 24 bytes')
    .optional()
    .describe('Signs the alerts that are posted, as webhooks are: `whsec_` and base64 of 32 random bytes'),
  ALERT_EMAIL_TO: list(isAddress, 'must be e-mail addresses, comma-separated').describe(
    'Who gets alerts by e-mail: addresses, comma-separated',
  ),
  ALERT_EMAIL_FROM: z
    .string()
    .refine(isAddress, 'must be an e-mail address, such as Holdfast <holdfast@example.com>')
    .optional()
    .describe('The sender of alerts by e-mail, such as `Holdfast <holdfast@example.com>`'),
  SMTP_URL: z
    .string()
    .superRefine((text, check) => {
      for (const message of smtpUrlProblems(text)) check.addIssue({ code: 'custom', message });
    })
    .optional()
    .describe(
      'Mail server for alerts: smtp://user:password@host:587 (with STARTTLS) or smtps://user:password@host:465',
    ),
  ALERT_SEVERITY: z
    .enum(severities)
    .default('warn')
    .describe('`page`: only what needs an operator now is sent; `warn`: also what needs one today'),
  ALERT_AFTER_S: positiveInt()
    .max(86_400)
    .default(60)
    .describe('Seconds for which something needs an operator before an alert is sent'),
  ALERT_RESOLVED_AFTER_S: positiveInt()
    .max(86_400)
    .default(300)
    .describe(
      'Seconds for which it must have ended before it counts as resolved; until then it is one alert',
    ),
};

export type AlertConfig = z.infer<z.ZodObject<typeof alertConfig>>;

/** Settings that are needed together. */
export function alertProblems(env: NodeJS.ProcessEnv): string[] {
  const needed = [
    ['ALERT_WEBHOOK_URLS', ['ALERT_WEBHOOK_SECRET']],
    ['ALERT_EMAIL_TO', ['ALERT_EMAIL_FROM', 'SMTP_URL']],
  ] as const;
  return needed.flatMap(([name, others]) =>
    env[name]
      ? others.filter((other) => !env[other]).map((other) => `${other} is not set: it is needed with ${name}`)
      : [],
  );
}
