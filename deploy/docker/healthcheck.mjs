// Asks the service in this container whether it is well: healthcheck.mjs PORT_VARIABLE DEFAULT PATH
const [, , variable, fallback, path] = process.argv;
const port = process.env[variable] ?? fallback;
try {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    signal: AbortSignal.timeout(2500),
  });
  if (answer.ok) process.exit(0);
  console.error(`${answer.status} ${await answer.text()}`);
} catch (error) {
  console.error(String(error.cause ?? error));
}
process.exit(1);
