'use client';

import { REGION_CHARACTERS, rest } from '@tollgate/contracts';

import type { ApiError } from '../../api/rest-client';
import { fieldError } from '../../design/field-error';
import { Switch } from '../../design/switch';
import { NumberField, SelectField, TextAreaField, TextField } from '../../design/text-field';
import { fieldsOf } from '../../resource/use-form';
import { CodeBench } from './code-bench';
import type { ServiceDraft } from './service-draft';
import { AUTH_WORDS, PROTOCOL_WORDS } from './words';

export const SERVICE_FIELDS = ['name', 'identifier', 'url', 'region', 'protocol', 'auth', 'secret'];

interface ServiceFieldsProps {
  readonly draft: ServiceDraft;
  readonly error: ApiError | undefined;
  /** Of the stored service. */
  readonly known: rest.ScreeningService | undefined;
  readonly onChange: (part: Partial<ServiceDraft>) => void;
}

const PROTOCOLS = Object.keys(PROTOCOL_WORDS) as ServiceDraft['protocol'][];
const AUTHS = Object.keys(AUTH_WORDS) as ServiceDraft['authType'][];

export function ServiceFields(props: ServiceFieldsProps) {
  const { draft, error, known } = props;
  const field = fieldsOf(props);
  const ofProtocol = fieldError(error, 'protocol.type');
  return (
    <>
      <TextField label="Name" {...field('name')} maxLength={200} autoFocus />
      {known === undefined && (
        <TextField
          label="Identifier"
          hint="Rules name the service by it. Cannot be changed later. Lower-case letters, digits and hyphens."
          {...field('identifier')}
          spellCheck={false}
          maxLength={64}
        />
      )}
      <SelectField
        label="Protocol"
        hint={PROTOCOL_WORDS[draft.protocol].note}
        {...field('protocol')}
        error={ofProtocol}
        choices={PROTOCOLS.map((value) => ({ value, label: PROTOCOL_WORDS[value].label }))}
      />
      {draft.protocol === 'JAVASCRIPT' ? <CodeFields {...props} /> : <ServiceAddress {...props} />}
    </>
  );
}

/** Where the service is, and how the gateway authenticates to it. */
function ServiceAddress(props: ServiceFieldsProps) {
  const { draft, error } = props;
  const field = fieldsOf(props);
  return (
    <>
      <TextField
        label="URL"
        hint={
          draft.protocol === 'TOLLGATE_GRPC'
            ? 'Host and port, as https://checker.example.com:9000'
            : 'Where the paths of the protocol begin.'
        }
        {...field('url')}
        type="url"
        spellCheck={false}
        maxLength={500}
      />
      <TextField
        label="Region"
        optional
        hint="Where the service processes texts, by your organisation’s own name, for example eu. Without one, requests with allowed regions are refused."
        {...field('region')}
        spellCheck={false}
        maxLength={REGION_CHARACTERS}
      />
      <ProtocolFields {...props} />
      <SelectField
        label="Authentication"
        {...field('authType')}
        error={fieldError(error, 'auth')}
        choices={AUTHS.map((value) => ({ value, label: AUTH_WORDS[value] }))}
      />
      <AuthFields {...props} />
    </>
  );
}

/** What only some protocols have. */
function ProtocolFields(props: ServiceFieldsProps) {
  const { draft, error } = props;
  const field = fieldsOf(props, (name) => fieldError(error, `protocol.${name}`));
  switch (draft.protocol) {
    case 'PRESIDIO':
      return (
        <>
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField label="Language" {...field('language')} spellCheck={false} maxLength={3} />
            <NumberField label="Least score" {...field('scoreThreshold')} />
          </div>
          <TextAreaField
            label="Entities"
            optional
            hint="One per line, as PERSON. Empty: all that the analyzer knows."
            {...field('entities')}
            rows={3}
            spellCheck={false}
          />
        </>
      );
    case 'OPENAI_MODERATION':
      return (
        <>
          <TextField
            label="Model"
            optional
            hint="Empty: omni-moderation-latest."
            {...field('model')}
            spellCheck={false}
            maxLength={200}
          />
          <TextAreaField
            label="Least scores"
            optional
            hint="One per line, as violence: 0.5. Empty: what the service flags."
            {...field('thresholds')}
            rows={3}
            spellCheck={false}
          />
        </>
      );
    case 'GENERIC_GUARDRAIL':
      return (
        <TextAreaField
          label="Parameters"
          optional
          hint="One per line, as threshold: 0.5."
          {...field('parameters')}
          rows={3}
          spellCheck={false}
        />
      );
    case 'CHAT_JUDGE':
      return <JudgeFields {...props} />;
    case 'TOLLGATE_GRPC':
      return (
        <Switch
          label="Judges streams piece by piece"
          hint="The service has CheckStream. Without it, streamed answers wait until their end."
          checked={props.draft.streams}
          onChange={(streams) => props.onChange({ streams })}
        />
      );
    case 'TOLLGATE_HTTP':
    case 'JAVASCRIPT':
      return null;
  }
}

/** Code, with a bench to run it on a text before it is saved. */
function CodeFields(props: ServiceFieldsProps) {
  const field = fieldsOf(props, (name) => fieldError(props.error, `protocol.${name}`));
  return (
    <>
      <TextAreaField
        label="Code"
        hint="Defines a function check. Nothing stays from one call to the next."
        {...field('code')}
        rows={14}
        maxLength={rest.SCREENING_CODE_CHARACTERS}
        spellCheck={false}
        className="font-mono text-sm"
      />
      <CodeBench code={props.draft.code} />
    </>
  );
}

function JudgeFields(props: ServiceFieldsProps) {
  const field = fieldsOf(props, (name) => fieldError(props.error, `protocol.${name}`));
  return (
    <>
      <TextField label="Model" {...field('model')} spellCheck={false} maxLength={200} />
      <TextAreaField
        label="Instructions"
        hint="What the model is to look for. The form of its answer is added."
        {...field('instructions')}
        rows={5}
        maxLength={8000}
      />
      <NumberField label="Most output tokens" {...field('maxOutputTokens')} />
    </>
  );
}

function AuthFields(props: ServiceFieldsProps) {
  const { draft, error, known } = props;
  const field = fieldsOf(props, (name) => fieldError(error, `auth.${name}`));
  if (draft.authType === 'NONE') return null;
  const kept = known?.secretPreview ?? null;
  return (
    <>
      {draft.authType === 'HEADER' && (
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField label="Header" {...field('header')} spellCheck={false} maxLength={100} />
          <TextField
            label="Value of the header"
            hint={`Contains ${rest.MCP_SECRET_PLACE} exactly once.`}
            {...field('template')}
            spellCheck={false}
            maxLength={1000}
          />
        </div>
      )}
      <TextField
        label={draft.authType === 'BEARER' ? 'Token' : 'Secret'}
        optional={kept !== null}
        hint={
          kept === null
            ? 'Stored encrypted and never shown again.'
            : `Empty: ${kept} stays as it is.`
        }
        {...fieldsOf(props)('secret')}
        type="password"
        autoComplete="off"
        maxLength={2000}
      />
    </>
  );
}
