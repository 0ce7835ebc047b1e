import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { change, RequestError } from '../api.ts';
import { Button, Field, inputLook } from '../parts.tsx';
import { text } from '../strings.ts';

/** Takes the token of a link out of the address at once: it must not stay in the history. */
function takeLink(): string | null {
  const [, token] = /^#sign-in=(link_[\w-]+)$/.exec(window.location.hash) ?? [];
  if (!token) return null;
  window.history.replaceState(null, '', window.location.pathname);
  return token;
}

const link = takeLink();

export function SignIn() {
  const client = useQueryClient();
  const [isLink, setLink] = useState(link !== null);
  const [error, setError] = useState<string | null>(null);
  const hasStarted = useRef(false);

  const signIn = async (token: string) => {
    await change('POST', '/session', { body: { token } });
    await client.invalidateQueries();
  };
  useEffect(() => {
    if (link === null || hasStarted.current) return;
    hasStarted.current = true;
    signIn(link).catch(() => {
      setLink(false);
      setError(text.signIn.linkFailed);
    });
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const token = String(new FormData(event.currentTarget).get('token') ?? '').trim();
    signIn(token).catch((reason: unknown) =>
      setError(reason instanceof RequestError ? reason.message : text.lost),
    );
  };
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <div className="w-full max-w-sm rounded-lg border border-line bg-card p-6">
        <p className="mb-5 font-semibold text-accent">{text.product}</p>
        <h1 className="font-semibold text-lg">{text.signIn.title}</h1>
        {isLink ? (
          <p role="status" className="mt-3">
            {text.signIn.withLink}
          </p>
        ) : (
          <form onSubmit={submit} className="mt-2 space-y-4">
            <p className="text-soft">{text.signIn.about}</p>
            <Field label={text.signIn.token}>
              <input
                name="token"
                type="password"
                required
                minLength={16}
                autoComplete="off"
                className={`${inputLook} font-mono`}
              />
            </Field>
            {error && (
              <p role="alert" className="text-bad">
                {error}
              </p>
            )}
            <Button type="submit" tone="primary">
              {text.signIn.submit}
            </Button>
            <p className="text-soft text-xs">{text.signIn.where}</p>
          </form>
        )}
      </div>
    </main>
  );
}
