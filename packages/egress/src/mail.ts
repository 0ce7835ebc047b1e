import { reasonOf } from '@holdfast/kit/within';
import type { Transporter } from 'nodemailer';

/** The operator's own server, which is trusted wherever it is, as the base URLs of providers are. */
export type MailServer = {
  /** `smtp://user:password@host:587`, with STARTTLS unless the host is this machine; `smtps://` with TLS at once. */
  url: string;
  from: string;
  to: readonly string[];
  /** A certificate authority besides the known ones, as PEM. */
  ca?: string;
};

export type Mail = { id: string; subject: string; text: string };

export type Mailer = {
  /** Null: the server has taken it; else why not, without its credentials. Never rejects. */
  send(mail: Mail): Promise<string | null>;
  close(): void;
};

const timeoutMs = 15_000;
const loopback = ['localhost', '127.0.0.1', '[::1]'];

/** Problems of the URL; none repeats it, for it may hold a password. */
export function smtpUrlProblems(text: string): string[] {
  const url = URL.parse(text);
  if (!url || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '')
    return ['must be a URL like smtp://user:password@smtp.example.com:587, or smtps://'];
  const isEmpty = ['', '/'].includes(url.pathname) && url.search === '' && url.hash === '';
  return isEmpty ? [] : ['must end with the port'];
}

/** Loads the client at the first mail. */
export function openMailer(server: MailServer): Mailer {
  let transport: Promise<Transporter> | undefined;
  return {
    async send({ id, subject, text }) {
      try {
        transport ??= connect(server);
        const [, domain = 'holdfast'] = /@([^>\s]+)>?$/.exec(server.from) ?? [];
        // The same id on every attempt: a mail server or client recognizes a repetition by it.
        const messageId = `<${id}@${domain}>`;
        const { rejected } = await (await transport).sendMail({
          from: server.from,
          to: [...server.to],
          subject,
          text,
          messageId,
          headers: { 'Auto-Submitted': 'auto-generated' },
        });
        return rejected?.length ? `the server refused ${rejected.length} of the recipients` : null;
      } catch (error) {
        return withoutCredentials(reasonOf(error), server.url);
      }
    },
    close: () => void transport?.then((opened) => opened.close()).catch(() => undefined),
  };
}

async function connect({ url, ca }: MailServer): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  const { protocol, hostname, port, username, password } = new URL(url);
  const isSecure = protocol === 'smtps:';
  const auth = { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  return createTransport({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (isSecure ? 465 : 587),
    secure: isSecure,
    requireTLS: !isSecure && !loopback.includes(hostname),
    ...(username !== '' && { auth }),
    ...(ca !== undefined && { tls: { ca } }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** Servers may repeat what they were sent. */
function withoutCredentials(text: string, url: string): string {
  const { username, password } = new URL(url);
  const secrets = [password, decodeURIComponent(password)].filter((secret) => secret !== '');
  const encoded = Buffer.from(`\0${decodeURIComponent(username)}\0${decodeURIComponent(password)}`).toString(
    'base64',
  );
  return [...secrets, encoded].reduce((left, secret) => left.replaceAll(secret, '***'), text);
}
