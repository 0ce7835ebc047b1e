import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useLayoutEffect, useState } from 'react';
import { change, RequestError, read, type Schemas } from '../api.ts';
import { takeArrival } from '../features/access/arrival.ts';
import { text } from '../strings.ts';
import { Brand } from '../ui/brand.tsx';
import { Button } from '../ui/button.tsx';
import { Environment, EnvironmentName } from '../ui/environment.tsx';
import { Field, inputLook } from '../ui/field.tsx';
import { textIn } from '../ui/formData.ts';
import { Heading } from '../ui/heading.tsx';

const messageOf = (reason: unknown) => (reason instanceof RequestError ? reason.message : text.lost);

function useSignIn() {
  const client = useQueryClient();
  return async (path: string, body: object) => {
    await change('POST', path, { body });
    await client.invalidateQueries();
  };
}

/** `links`: how many sign-in links were opened in this tab; `onArrived` is called when the last one was used. */
export function SignIn({ links, onArrived }: { links: number; onArrived: (links: number) => void }) {
  const [isArriving, setArriving] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const signIn = useSignIn();
  const { data: methods } = useQuery({
    queryKey: ['sign-in-methods'],
    queryFn: () => read<Schemas['SignInMethods']>('/sign-in-methods'),
    staleTime: Number.POSITIVE_INFINITY,
  });
  // Before the first paint: the form must not flash up while a link signs in.
  useLayoutEffect(() => {
    const arrived = takeArrival();
    if (arrived === null) return;
    if (arrived.kind === 'refused') return setError(arrived.reason);
    setError(null);
    setArriving(true);
    const isLink = arrived.kind === 'link';
    const done = isLink
      ? signIn('/session', { token: arrived.token })
      : signIn('/oidc-sign-ins/session', arrived.body);
    done
      .catch((reason: unknown) => {
        setArriving(false);
        setError(isLink ? text.signIn.linkFailed : messageOf(reason));
      })
      .finally(() => onArrived(links));
  }, [links]);
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <div className="w-full max-w-sm rounded-lg border border-line bg-card p-6">
        <div className="mb-5 flex items-center justify-between gap-3">
          <Brand />
          <Environment value={methods?.environment ?? null}>
            <EnvironmentName />
          </Environment>
        </div>
        <Heading title={text.signIn.title} />
        {isArriving && (
          <p role="status" className="mt-3">
            {text.signIn.withLink}
          </p>
        )}
        {!isArriving && error && (
          <p role="alert" className="mt-3 break-words text-bad">
            {error}
          </p>
        )}
        {!isArriving && <Methods provider={methods?.oidc ?? null} onError={setError} />}
      </div>
    </main>
  );
}

/** The provider of identities, if there is one, and the form for a token. */
function Methods(props: {
  provider: Schemas['OidcSignInMethod'] | null;
  onError: (message: string | null) => void;
}) {
  const { provider, onError } = props;
  const [isBusy, setBusy] = useState(false);
  const signIn = useSignIn();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const token = textIn(new FormData(event.currentTarget), 'token').trim();
    setBusy(true);
    signIn('/session', { token })
      .catch((reason: unknown) => onError(messageOf(reason)))
      .finally(() => setBusy(false));
  };
  return (
    <>
      {provider && <Provider label={provider.label} onError={onError} />}
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
        <Button type="submit" tone={provider ? 'plain' : 'primary'} disabled={isBusy}>
          {text.signIn.submit}
        </Button>
        <p className="text-soft text-xs">{text.signIn.where}</p>
      </form>
    </>
  );
}

/** The button of the OIDC provider. */
function Provider({ label, onError }: { label: string; onError: (message: string | null) => void }) {
  const [isBusy, setBusy] = useState(false);
  const start = async () => {
    setBusy(true);
    onError(null);
    try {
      const { authorization_url: url } = await change<Schemas['OidcSignIn']>('POST', '/oidc-sign-ins');
      window.location.assign(url);
    } catch (reason) {
      setBusy(false);
      onError(messageOf(reason));
    }
  };
  return (
    <div className="mt-4">
      <Button tone="primary" disabled={isBusy} onClick={() => void start()}>
        {text.signIn.withProvider(label)}
      </Button>
      <p className="mt-4 border-line border-t pt-2 text-soft text-xs">{text.signIn.or}</p>
    </div>
  );
}
