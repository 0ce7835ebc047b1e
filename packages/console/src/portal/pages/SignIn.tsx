import { type FormEvent, useState } from 'react';
import { RequestError } from '../../api.ts';
import { text } from '../../strings/shared.ts';
import { mark } from '../../ui/brand.tsx';
import { Button } from '../../ui/button.tsx';
import { Field, inputLook } from '../../ui/field.tsx';
import { Heading } from '../../ui/heading.tsx';
import { LanguageChoice } from '../LanguageChoice.tsx';
import { signInWithKey } from '../session.tsx';
import { words } from '../strings.ts';

export function SignIn() {
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const key = String(new FormData(event.currentTarget).get('key') ?? '').trim();
    setBusy(true);
    signInWithKey(key).catch((reason: unknown) => {
      setBusy(false);
      setError(reason instanceof RequestError ? reason.message : text.lost);
    });
  };
  return (
    <main className="grid min-h-dvh place-content-center justify-items-center gap-4 p-4">
      <div className="w-full max-w-sm rounded-lg border border-line bg-card p-6">
        <img src={mark} alt="" className="mb-4 size-8" />
        <Heading title={words.signIn.title} />
        <form onSubmit={submit} className="mt-2 space-y-4">
          <p className="text-soft">{words.signIn.about}</p>
          <Field label={words.signIn.key}>
            <input
              name="key"
              type="password"
              required
              placeholder="sk_…"
              autoComplete="off"
              className={`${inputLook} font-mono`}
            />
          </Field>
          {error && (
            <p role="alert" className="text-bad">
              {error}
            </p>
          )}
          <Button type="submit" tone="primary" disabled={isBusy}>
            {words.signIn.submit}
          </Button>
        </form>
      </div>
      <LanguageChoice />
    </main>
  );
}
