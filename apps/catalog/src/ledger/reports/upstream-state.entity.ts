import { UPSTREAM_STATES, type UpstreamState } from '@tollgate/contracts';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

import { bigintColumn, oneOf } from '../../db/columns';
import { Model } from '../../entities/model.entity';
import { Provider } from '../../entities/provider.entity';

/** The state of one model at its provider, as policies last reported it. */
@Entity('upstream_state')
@ForeignKey(() => Model, ['organisationId', 'modelId'], ['organisationId', 'id'], {
  onDelete: 'CASCADE',
})
@ForeignKey(() => Provider, ['organisationId', 'providerId'], ['organisationId', 'id'], {
  onDelete: 'CASCADE',
})
@Index(['organisationId', 'changedAt', 'modelId'])
@Check('upstream_state_state_check', oneOf('state', UPSTREAM_STATES))
export class UpstreamStateRow {
  @PrimaryColumn('uuid')
  modelId!: string;

  @PrimaryColumn('uuid')
  providerId!: string;

  @Column('uuid')
  organisationId!: string;

  @Column('text')
  state!: UpstreamState;

  @Column('text')
  reason!: string;

  /** By the clock of the counters' store; the newer report wins. */
  @Column('timestamptz')
  changedAt!: Date;

  @Column('timestamptz', { nullable: true })
  openUntil!: Date | null;

  /** When it counts as closed again without further reports. */
  @Column('timestamptz', { nullable: true })
  expiresAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  cooldownUntil!: Date | null;

  @Column(bigintColumn)
  attempts!: bigint;

  @Column(bigintColumn)
  failures!: bigint;
}
