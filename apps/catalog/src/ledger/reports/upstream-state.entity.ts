import { UPSTREAM_STATES, type UpstreamState } from '@tollgate/contracts';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { bigintColumn, oneOf } from '../../db/columns';
import { Model } from '../../entities/model.entity';
import { Provider } from '../../entities/provider.entity';

/** How one model does at its provider, as policies reported it last. */
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

  /** By the clock of the counters' store; later reports win. */
  @Column('timestamptz')
  changedAt!: Date;

  @Column('timestamptz', { nullable: true })
  openUntil!: Date | null;

  /** From when it counts as closed, when nothing more is heard. */
  @Column('timestamptz', { nullable: true })
  expiresAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  cooldownUntil!: Date | null;

  @Column(bigintColumn)
  attempts!: bigint;

  @Column(bigintColumn)
  failures!: bigint;
}
