const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text has the form of the gateway's request ids. */
export function isRequestId(text: string): boolean {
  return UUID.test(text);
}
