'use client';

import { rest } from '@tollgate/contracts';

import { FormBody, Window } from '../../resource/form-dialog';
import { useSave } from '../../resource/use-save';
import { ReadForEditing } from '../../resource/versioned';
import { useOrganisation } from '../../shell/scope';
import {
  NEW_SERVICE,
  serviceBodyOf,
  serviceDraftOf,
  servicePatchOf,
  type ServiceDraft,
} from './service-draft';
import { SERVICE_FIELDS, ServiceFields } from './service-fields';

interface ServiceFormProps {
  /** The service to edit; absent for a new one. */
  readonly serviceId?: string;
  readonly onClose: () => void;
}

export function ServiceForm({ serviceId, onClose }: ServiceFormProps) {
  const { id: organisationId } = useOrganisation();
  if (serviceId === undefined) {
    return (
      <Window
        title="Add a screening service"
        description="Rules that find “what a service finds” name it. It gets texts only."
        wide
        onClose={onClose}
      >
        <Form initial={NEW_SERVICE} onClose={onClose} />
      </Window>
    );
  }
  return (
    <Window
      title="Edit screening service"
      description="New requests use the changed settings."
      wide
      onClose={onClose}
    >
      <ReadForEditing
        endpoint={rest.getScreeningService}
        input={{ params: { organisationId, screeningServiceId: serviceId } }}
      >
        {({ value, etag }) => (
          <Form
            initial={serviceDraftOf(value)}
            known={{ service: value, etag }}
            onClose={onClose}
          />
        )}
      </ReadForEditing>
    </Window>
  );
}

interface FormProps {
  readonly initial: ServiceDraft;
  readonly known?: { readonly service: rest.ScreeningService; readonly etag: string | undefined };
  readonly onClose: () => void;
}

function Form({ initial, known, onClose }: FormProps) {
  const { id: organisationId } = useOrganisation();
  const form = useSave<ServiceDraft, rest.ScreeningService>({
    initial,
    known,
    // A change gives the policies that ask a new version.
    stale: [
      rest.listScreeningServices.id,
      rest.getScreeningService.id,
      rest.listScreeningPolicies.id,
      rest.getScreeningPolicy.id,
    ],
    send: (draft, call) => {
      if (known === undefined) {
        const body = serviceBodyOf(draft);
        return call(rest.createScreeningService, { params: { organisationId }, body });
      }
      const { service } = known;
      return call(rest.updateScreeningService, {
        params: { organisationId, screeningServiceId: service.id },
        body: servicePatchOf(draft, service),
      });
    },
    made: ({ name }) => `${name} added.`,
    onClose,
  });
  return (
    <FormBody
      form={form}
      fields={SERVICE_FIELDS}
      submit={known === undefined ? 'Add service' : 'Save'}
      onClose={onClose}
    >
      <ServiceFields
        draft={form.draft}
        error={form.error}
        known={known?.service}
        onChange={form.change}
      />
    </FormBody>
  );
}
