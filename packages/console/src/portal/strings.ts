import { text } from '../strings/shared.ts';

/** The texts of the portal alone, in the language that was chosen before this was loaded. */
export const words = text.portal;
