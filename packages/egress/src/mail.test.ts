import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';
import { openMailer, smtpUrlProblems } from './mail.ts';
import { cert, key } from './testing/servers.ts';

type Taken = { isSecure: boolean; user: unknown; from: string; to: string[]; message: string };

let server: SMTPServer;
let port: number;
let taken: Taken[];

async function keep(stream: Readable, { secure, user, envelope }: SMTPServerSession): Promise<void> {
  const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
  const to = envelope.rcptTo.map(({ address }) => address);
  taken.push({ isSecure: secure, user, from, to, message: await text(stream) });
}

beforeEach(async () => {
  taken = [];
  server = new SMTPServer({
    key,
    cert,
    onAuth({ username, password }, _session, done) {
      if (password === 'p@ss word') done(null, { user: username });
      else done(new Error(`535 no such login as ${password}`));
    },
    onRcptTo({ address }, _session, done) {
      done(address.startsWith('gone') ? new Error('550 no such mailbox') : null);
    },
    onData(stream, session, done) {
      void keep(stream, session).finally(done);
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  port = (server.server.address() as AddressInfo).port;
});
afterEach(async () => await new Promise<void>((resolve) => server.close(resolve)));

const mail = { id: 'evt_1', subject: 'Redis — down', text: 'Look now.\n' };
const open = (login: string, to = ['ops@example.com'], ca = cert) =>
  openMailer({ url: `smtp://${login}@127.0.0.1:${port}`, from: 'Holdfast <a@b.example>', to, ca });

describe('a mail', () => {
  it('is sent by STARTTLS, signed in, with the same id on every attempt', async () => {
    const mailer = open('ops:p%40ss%20word', ['ops@example.com', 'more@example.com']);
    expect([await mailer.send(mail), await mailer.send(mail)]).toEqual([null, null]);
    mailer.close();
    expect(taken).toHaveLength(2);
    const to = ['ops@example.com', 'more@example.com'];
    expect(taken[0]).toMatchObject({ isSecure: true, user: 'ops', from: 'a@b.example', to });
    for (const { message } of taken) expect(message).toContain('Message-ID: <evt_1@b.example>');
    expect(taken[0]?.message).toContain('Look now.');
  });

  it.each([
    ['a wrong password', () => open('ops:not%20this'), /535/],
    [
      'a refused recipient',
      () => open('ops:p%40ss%20word', ['ops@example.com', 'gone@example.com']),
      /1 of the/,
    ],
    ['an unknown certificate', () => open('ops:p%40ss%20word', undefined, ''), /certificate|self.signed/i],
  ])('that fails by %s says why, without the password', async (_case, opened, reason) => {
    const problem = await opened().send(mail);
    expect(problem).toMatch(reason);
    expect(problem).not.toMatch(/not this|not%20this|p@ss/);
  });

  it('is not sent in the clear to another machine', async () => {
    await new Promise<void>((resolve) => server.close(resolve));
    server = new SMTPServer({
      disabledCommands: ['STARTTLS', 'AUTH'],
      onData: (_stream, _of, done) => done(),
    });
    server.listen(port, '127.0.0.1');
    await once(server.server, 'listening');
    const mailer = openMailer({ url: `smtp://127.0.0.2:${port}`, from: 'a@b.example', to: ['c@d.example'] });
    expect(await mailer.send(mail)).not.toBeNull();
    expect(await open('').send(mail)).toBeNull();
  });
});

it.each(['https://smtp.example.com', 'smtp.example.com', 'smtp://', 'smtp://u:secret@h:587/x'])(
  'the URL %s is refused without repeating it',
  (url) => {
    const problems = smtpUrlProblems(url);
    expect(problems).toHaveLength(1);
    expect(problems.join()).not.toContain('secret');
  },
);
