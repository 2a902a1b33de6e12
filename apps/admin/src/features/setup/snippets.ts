import { familyOwns, type ProviderType } from '@tollgate/contracts';

import { firstRequest } from '../first-request';

// The first request as lines to copy. Pure.

export interface Snippet {
  readonly value: 'curl' | 'python' | 'typescript';
  readonly label: string;
  readonly text: string;
}

interface Sent {
  /** The gateway's public address. */
  readonly edgeUrl: string;
  readonly key: string;
  readonly model: string;
  /** The type of the model's provider: OpenAI's routes serve OpenAI's models alone. */
  readonly providerType: ProviderType;
}

export function snippetsOf(sent: Sent): readonly Snippet[] {
  const { edgeUrl, key, model, providerType } = sent;
  const openai = familyOwns('openai', providerType);
  return [
    { value: 'curl', label: 'curl', text: firstRequest(edgeUrl, key, model) },
    {
      value: 'python',
      label: 'Python',
      text: openai ? openaiPython(sent) : anthropicPython(sent),
    },
    {
      value: 'typescript',
      label: 'TypeScript',
      text: openai ? openaiTypescript(sent) : anthropicTypescript(sent),
    },
  ];
}

const text = (value: string): string => JSON.stringify(value);

function openaiPython({ edgeUrl, key, model }: Sent): string {
  return `from openai import OpenAI

client = OpenAI(base_url=${text(`${edgeUrl}/v1`)}, api_key=${text(key)})
answer = client.chat.completions.create(
    model=${text(model)},
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)`;
}

function openaiTypescript({ edgeUrl, key, model }: Sent): string {
  return `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: ${text(`${edgeUrl}/v1`)}, apiKey: ${text(key)} });
const answer = await client.chat.completions.create({
  model: ${text(model)},
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(answer.choices[0].message.content);`;
}

function anthropicPython({ edgeUrl, key, model }: Sent): string {
  return `from anthropic import Anthropic

client = Anthropic(base_url=${text(edgeUrl)}, api_key=${text(key)})
answer = client.messages.create(
    model=${text(model)},
    max_tokens=1024,
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.content)`;
}

function anthropicTypescript({ edgeUrl, key, model }: Sent): string {
  return `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: ${text(edgeUrl)}, apiKey: ${text(key)} });
const answer = await client.messages.create({
  model: ${text(model)},
  max_tokens: 1024,
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(answer.content);`;
}
