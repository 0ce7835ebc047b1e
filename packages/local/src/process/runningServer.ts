/** A server that this process has started. */
export type RunningServer = {
  url: string;
  port: number;
  pid: number;
  /** Resolves when the server has ended, asked or not. */
  exited: Promise<void>;
  /** Ends the server and resolves when it is gone. */
  stop: () => Promise<void>;
};
