'use client';

import { useState } from 'react';

import { CodeBlock } from '../../design/code-block';
import { Dialog, DialogBody } from '../../design/dialog';
import { SelectField } from '../../design/text-field';
import { useScope } from '../../shell/scope';
import type { ChatRequest } from './chat';
import { picturesOf } from './code/bodies';
import { codeFor, KEY_VARIABLE, LANGUAGES, type Language } from './code/code';

interface CodeDialogProps {
  /** The requests for each model. */
  readonly requests: readonly ChatRequest[];
  readonly onClose: () => void;
}

/** Shows the request as program code. */
export function CodeDialog({ requests, onClose }: CodeDialogProps) {
  const { edgeUrl } = useScope();
  const [language, setLanguage] = useState<Language>('curl');
  const [at, setAt] = useState('0');
  const request = requests[Number(at)];
  if (request === undefined) return null;
  const pictures = picturesOf(request);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="As code"
      description="The same request from your own program, through the gateway."
      wide
    >
      <DialogBody>
        <div className="grid gap-3 sm:grid-cols-2">
          <SelectField
            label="Language"
            value={language}
            choices={LANGUAGES}
            onChange={setLanguage}
          />
          {requests.length > 1 && (
            <SelectField
              label="Model"
              value={at}
              choices={requests.map(({ model }, index) => ({ value: `${index}`, label: model }))}
              onChange={setAt}
            />
          )}
        </div>
        <CodeBlock label="Code" text={codeFor(language, edgeUrl, request)} />
        <p className="text-sm text-ink-faint">
          It reads an API key from the environment variable{' '}
          <code className="font-mono">{KEY_VARIABLE}</code>.
          {pictures.length > 0 &&
            ` It reads the pictures from these files: ${pictures.map(({ file }) => file).join(', ')}.`}
        </p>
      </DialogBody>
    </Dialog>
  );
}
