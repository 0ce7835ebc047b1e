import { useState } from 'react';
import { isSignedOut } from '../../api.ts';

/** Ends the session and then leaves; `error` says why it is still open. */
export function useEndSession(end: () => Promise<unknown>, leave: () => void) {
  const [error, setError] = useState<unknown>(null);
  const endSession = async () => {
    setError(null);
    try {
      await end();
    } catch (reason) {
      if (!isSignedOut(reason)) return setError(reason);
    }
    leave();
  };
  return { error, signOut: () => void endSession() };
}
