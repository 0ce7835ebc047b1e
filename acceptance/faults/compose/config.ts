/** The test's settings from the environment. */
export type ComposeTestConfig = {
  /** A shell command to run before anything else. */
  setup: string | undefined;
  /** The variables that docker itself needs, without settings of docker-compose.yml. */
  dockerEnvironment: NodeJS.ProcessEnv;
};

const forDocker =
  /^(PATH|HOME|USER|TMPDIR|LANG|SSH_AUTH_SOCK|(DOCKER|BUILDX|BUILDKIT|XDG)_.*|(https?|no)_proxy)$/i;

export function readConfig(env: NodeJS.ProcessEnv = process.env): ComposeTestConfig {
  const kept = Object.entries(env).filter(([name]) => forDocker.test(name));
  return { setup: env['COMPOSE_TEST_SETUP'], dockerEnvironment: Object.fromEntries(kept) };
}
