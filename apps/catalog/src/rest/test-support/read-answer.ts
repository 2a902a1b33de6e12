/** The body as text; of server-sent events the first one only, since they have no end in a test. */
export async function textOf(response: Response): Promise<string> {
  const isEvents = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  if (!isEvents || response.body === null) return response.text();
  let text = '';
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    text += piece;
    if (text.includes('\n\n')) break;
  }
  return text;
}
