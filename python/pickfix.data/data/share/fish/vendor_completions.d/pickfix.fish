# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_pickfix_global_optspecs
    string join \n select= ignore= rules= source-root= no-source= annotate= fold= only color= ascii= annotation= width= exit-code= report= no-state= show-config strict-config h/help V/version
end

function __fish_pickfix_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_pickfix_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_pickfix_using_subcommand
    set -l cmd (__fish_pickfix_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c pickfix -n "__fish_pickfix_needs_command" -l select -d 'Look for these failures only: ids, or `family/*` for all of a family' -r -f -a "(__fish_complete_list , __fish_pickfix_ids)"
complete -c pickfix -n "__fish_pickfix_needs_command" -l ignore -d 'Do not look for these' -r -f -a "(__fish_complete_list , __fish_pickfix_ids)"
complete -c pickfix -n "__fish_pickfix_needs_command" -l rules -d 'Use the rules in this folder too; may be given several times' -r -F
complete -c pickfix -n "__fish_pickfix_needs_command" -l source-root -d 'Read the program\'s source below this folder, to name the object' -r
complete -c pickfix -n "__fish_pickfix_needs_command" -l no-source -d 'Do not read the program\'s source' -r -f -a "true\t''
false\t''"
complete -c pickfix -n "__fish_pickfix_needs_command" -l annotate -d 'Write annotations: auto (the default) or never' -r -f -a "auto\t''
never\t''"
complete -c pickfix -n "__fish_pickfix_needs_command" -l fold -d 'Fold the frames of libraries: all (by default), known, unknown or none' -r -f -a "all\t''
known\t''
unknown\t''
none\t''"
complete -c pickfix -n "__fish_pickfix_needs_command" -l color -d 'Colour pickfix\'s own text: auto (the default), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c pickfix -n "__fish_pickfix_needs_command" -l ascii -d 'Use ASCII characters only: `#|` instead of `▎`' -r -f -a "true\t''
false\t''"
complete -c pickfix -n "__fish_pickfix_needs_command" -l annotation -d 'How much to say of a failure: short (the default) or full' -r -f -a "short\t''
full\t''"
complete -c pickfix -n "__fish_pickfix_needs_command" -l width -d 'Wrap pickfix\'s own text at this column' -r
complete -c pickfix -n "__fish_pickfix_needs_command" -l exit-code -d 'End with status 1 if an error or a warning was annotated' -r -f -a "true\t''
false\t''"
complete -c pickfix -n "__fish_pickfix_needs_command" -l report -d 'Write each failure to this file too, as a line of JSON' -r -F
complete -c pickfix -n "__fish_pickfix_needs_command" -l no-state -d 'Keep nothing of this run for `pickfix last` and `pickfix fix`' -r -f -a "true\t''
false\t''"
complete -c pickfix -n "__fish_pickfix_needs_command" -l only -d 'Write explanations, your own frames and exceptions alone'
complete -c pickfix -n "__fish_pickfix_needs_command" -l show-config -d 'Show the settings in effect and where each comes from, then exit'
complete -c pickfix -n "__fish_pickfix_needs_command" -l strict-config -d 'End with status 2 if the file of settings is wrong, instead of a warning'
complete -c pickfix -n "__fish_pickfix_needs_command" -s h -l help -d 'Show help: `-h` in short, `--help` in full'
complete -c pickfix -n "__fish_pickfix_needs_command" -s V -l version -d 'Show the version'
complete -c pickfix -n "__fish_pickfix_needs_command" -a "check" -d 'Read saved logs, files and folders, and report what went wrong in them'
complete -c pickfix -n "__fish_pickfix_needs_command" -a "run" -d 'Run a command and explain what it prints, on a terminal of its own'
complete -c pickfix -n "__fish_pickfix_needs_command" -a "rules" -d 'List the rules, test them, or begin a new one'
complete -c pickfix -n "__fish_pickfix_needs_command" -a "fix" -d 'Print a diff that fixes the program, or write it'
complete -c pickfix -n "__fish_pickfix_needs_command" -a "last" -d 'Show the failures of the last run in full'
complete -c pickfix -n "__fish_pickfix_needs_command" -a "init" -d 'Print shell code that runs Python\'s commands through pickfix'
complete -c pickfix -n "__fish_pickfix_needs_command" -a "finder" -d 'Print a Python program that names every unpicklable part of an object'
complete -c pickfix -n "__fish_pickfix_needs_command" -a "completions" -d 'Print the completions of a shell: bash, zsh, fish, powershell or elvish'
complete -c pickfix -n "__fish_pickfix_needs_command" -a "man" -d 'Print the man page of pickfix, or of a command'
complete -c pickfix -n "__fish_pickfix_needs_command" -a "help" -d 'Show the help of a command in full, or about a topic'
complete -c pickfix -n "__fish_pickfix_needs_command" -a "explain" -d 'Show a failure in full, the one that fits a message, or the list of all'
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -l glob -d 'Read only these files of a folder: `*.log`, `rank*/*.err`; with `!` not these' -r
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -l select -d 'Look for these failures only: ids, or `family/*` for all of a family' -r -f -a "(__fish_complete_list , __fish_pickfix_ids)"
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -l ignore -d 'Do not look for these' -r -f -a "(__fish_complete_list , __fish_pickfix_ids)"
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -l rules -d 'Use the rules in this folder too; may be given several times' -r -F
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -l source-root -d 'Read the program\'s source below this folder, to name the object' -r
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -l no-source -d 'Do not read the program\'s source' -r -f -a "true\t''
false\t''"
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -l format -d 'Write text, json, jsonl, sarif, github, gnu or html; text is the default' -r -f -a "text\t''
json\t''
jsonl\t''
sarif\t''
github\t''
gnu\t''
html\t''"
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -l group-by -d 'Report the same failure once: by id (over all logs, the default), in each job, or in each file' -r -f -a "id\t''
file\t''
job\t''"
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -l limit -d 'Show at most this many failures in the text; it says what it leaves out' -r
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -l color -d 'Colour pickfix\'s own text: auto (the default), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -l ascii -d 'Use ASCII characters only: `#|` instead of `▎`' -r -f -a "true\t''
false\t''"
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -l annotation -d 'How much to say of a failure: short (the default) or full' -r -f -a "short\t''
full\t''"
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -l width -d 'Wrap pickfix\'s own text at this column' -r
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -l report -d 'Write each failure to this file too, as a line of JSON' -r -F
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -l threads -d 'Read with this many threads; the default is one for each processor' -r
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -s f -l follow -d 'Keep reading a log that still grows, until Ctrl-C; report what is found at once'
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -l unknown -d 'In json and jsonl, include failures that no rule knows, with `"id": null`'
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -l summary -d 'Print only the last line, which sums up'
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -s q -l quiet -d 'Print nothing: the exit status tells'
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -l exit-zero -d 'End with status 0 whatever was found; with 2 if there was trouble'
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -s h -l help -d 'Show help: `-h` in short, `--help` in full'
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -l strict-config -d 'End with status 2 if the file of settings is wrong, instead of a warning'
complete -c pickfix -n "__fish_pickfix_using_subcommand run" -l select -d 'Look for these failures only: ids, or `family/*` for all of a family' -r -f -a "(__fish_complete_list , __fish_pickfix_ids)"
complete -c pickfix -n "__fish_pickfix_using_subcommand run" -l ignore -d 'Do not look for these' -r -f -a "(__fish_complete_list , __fish_pickfix_ids)"
complete -c pickfix -n "__fish_pickfix_using_subcommand run" -l rules -d 'Use the rules in this folder too; may be given several times' -r -F
complete -c pickfix -n "__fish_pickfix_using_subcommand run" -l source-root -d 'Read the program\'s source below this folder, to name the object' -r
complete -c pickfix -n "__fish_pickfix_using_subcommand run" -l no-source -d 'Do not read the program\'s source' -r -f -a "true\t''
false\t''"
complete -c pickfix -n "__fish_pickfix_using_subcommand run" -l stall -d 'Say what each process waits for when nothing was printed for this many seconds' -r
complete -c pickfix -n "__fish_pickfix_using_subcommand run" -l annotate -d 'Write annotations: auto (the default) or never' -r -f -a "auto\t''
never\t''"
complete -c pickfix -n "__fish_pickfix_using_subcommand run" -l fold -d 'Fold the frames of libraries: all (by default), known, unknown or none' -r -f -a "all\t''
known\t''
unknown\t''
none\t''"
complete -c pickfix -n "__fish_pickfix_using_subcommand run" -l color -d 'Colour pickfix\'s own text: auto (the default), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c pickfix -n "__fish_pickfix_using_subcommand run" -l ascii -d 'Use ASCII characters only: `#|` instead of `▎`' -r -f -a "true\t''
false\t''"
complete -c pickfix -n "__fish_pickfix_using_subcommand run" -l annotation -d 'How much to say of a failure: short (the default) or full' -r -f -a "short\t''
full\t''"
complete -c pickfix -n "__fish_pickfix_using_subcommand run" -l width -d 'Wrap pickfix\'s own text at this column' -r
complete -c pickfix -n "__fish_pickfix_using_subcommand run" -l report -d 'Write each failure to this file too, as a line of JSON' -r -F
complete -c pickfix -n "__fish_pickfix_using_subcommand run" -l no-state -d 'Keep nothing of this run for `pickfix last` and `pickfix fix`' -r -f -a "true\t''
false\t''"
complete -c pickfix -n "__fish_pickfix_using_subcommand run" -l probe -d 'Load a small module into the program\'s Pythons, to name the object that cannot be pickled'
complete -c pickfix -n "__fish_pickfix_using_subcommand run" -l only -d 'Write explanations, your own frames and exceptions alone'
complete -c pickfix -n "__fish_pickfix_using_subcommand run" -s h -l help -d 'Show help: `-h` in short, `--help` in full'
complete -c pickfix -n "__fish_pickfix_using_subcommand run" -l strict-config -d 'End with status 2 if the file of settings is wrong, instead of a warning'
complete -c pickfix -n "__fish_pickfix_using_subcommand rules; and not __fish_seen_subcommand_from list test new" -s h -l help -d 'Show help: `-h` in short, `--help` in full'
complete -c pickfix -n "__fish_pickfix_using_subcommand rules; and not __fish_seen_subcommand_from list test new" -l strict-config -d 'End with status 2 if the file of settings is wrong, instead of a warning'
complete -c pickfix -n "__fish_pickfix_using_subcommand rules; and not __fish_seen_subcommand_from list test new" -f -a "list" -d 'List all rules: id, family, severity, title'
complete -c pickfix -n "__fish_pickfix_using_subcommand rules; and not __fish_seen_subcommand_from list test new" -f -a "test" -d 'Check the form of rules and whether their examples hold'
complete -c pickfix -n "__fish_pickfix_using_subcommand rules; and not __fish_seen_subcommand_from list test new" -f -a "new" -d 'Print the beginning of a rule file'
complete -c pickfix -n "__fish_pickfix_using_subcommand rules; and __fish_seen_subcommand_from list" -l format -d 'Write text, markdown or json; text is the default' -r -f -a "text\t'For people'
markdown\t'For pages'
json\t'For programs'"
complete -c pickfix -n "__fish_pickfix_using_subcommand rules; and __fish_seen_subcommand_from list" -l rules -d 'Use the rules in this folder too; may be given several times' -r -F
complete -c pickfix -n "__fish_pickfix_using_subcommand rules; and __fish_seen_subcommand_from list" -s h -l help -d 'Show help: `-h` in short, `--help` in full'
complete -c pickfix -n "__fish_pickfix_using_subcommand rules; and __fish_seen_subcommand_from list" -l strict-config -d 'End with status 2 if the file of settings is wrong, instead of a warning'
complete -c pickfix -n "__fish_pickfix_using_subcommand rules; and __fish_seen_subcommand_from test" -l rules -d 'Use the rules in this folder too; may be given several times' -r -F
complete -c pickfix -n "__fish_pickfix_using_subcommand rules; and __fish_seen_subcommand_from test" -s h -l help -d 'Show help: `-h` in short, `--help` in full'
complete -c pickfix -n "__fish_pickfix_using_subcommand rules; and __fish_seen_subcommand_from test" -l strict-config -d 'End with status 2 if the file of settings is wrong, instead of a warning'
complete -c pickfix -n "__fish_pickfix_using_subcommand rules; and __fish_seen_subcommand_from new" -l from -d 'Take the last traceback of this log; `-` is standard input' -r -F
complete -c pickfix -n "__fish_pickfix_using_subcommand rules; and __fish_seen_subcommand_from new" -s h -l help -d 'Show help: `-h` in short, `--help` in full'
complete -c pickfix -n "__fish_pickfix_using_subcommand rules; and __fish_seen_subcommand_from new" -l strict-config -d 'End with status 2 if the file of settings is wrong, instead of a warning'
complete -c pickfix -n "__fish_pickfix_using_subcommand fix" -l id -d 'Fix these failures only, by the ids of their rules' -r -f -a "(__fish_complete_list , __fish_pickfix_ids)"
complete -c pickfix -n "__fish_pickfix_using_subcommand fix" -l rules -d 'Use the rules in this folder too; may be given several times' -r -F
complete -c pickfix -n "__fish_pickfix_using_subcommand fix" -l source-root -d 'Read the program\'s source below this folder, to name the object' -r
complete -c pickfix -n "__fish_pickfix_using_subcommand fix" -l no-source -d 'Do not read the program\'s source' -r -f -a "true\t''
false\t''"
complete -c pickfix -n "__fish_pickfix_using_subcommand fix" -l apply -d 'Write the changes, each file\'s old text kept as NAME.orig; all or none'
complete -c pickfix -n "__fish_pickfix_using_subcommand fix" -l list -d 'List the failures, with the files that would change, or why none does'
complete -c pickfix -n "__fish_pickfix_using_subcommand fix" -s h -l help -d 'Show help: `-h` in short, `--help` in full'
complete -c pickfix -n "__fish_pickfix_using_subcommand fix" -l strict-config -d 'End with status 2 if the file of settings is wrong, instead of a warning'
complete -c pickfix -n "__fish_pickfix_using_subcommand last" -l format -d 'Write text or json, one object a line; text is the default, paged on a terminal' -r -f -a "text\t''
json\t''"
complete -c pickfix -n "__fish_pickfix_using_subcommand last" -l color -d 'Colour pickfix\'s own text: auto (the default), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c pickfix -n "__fish_pickfix_using_subcommand last" -l ascii -d 'Use ASCII characters only: `#|` instead of `▎`' -r -f -a "true\t''
false\t''"
complete -c pickfix -n "__fish_pickfix_using_subcommand last" -l annotation -d 'How much to say of a failure: short (the default) or full' -r -f -a "short\t''
full\t''"
complete -c pickfix -n "__fish_pickfix_using_subcommand last" -l width -d 'Wrap pickfix\'s own text at this column' -r
complete -c pickfix -n "__fish_pickfix_using_subcommand last" -l code -d 'Print the code of the fixes alone, to be pasted'
complete -c pickfix -n "__fish_pickfix_using_subcommand last" -s h -l help -d 'Show help: `-h` in short, `--help` in full'
complete -c pickfix -n "__fish_pickfix_using_subcommand last" -l strict-config -d 'End with status 2 if the file of settings is wrong, instead of a warning'
complete -c pickfix -n "__fish_pickfix_using_subcommand init" -l command -d 'The commands that are run through pickfix' -r
complete -c pickfix -n "__fish_pickfix_using_subcommand init" -l pipe -d 'Use a pipe, `python … 2>&1 | pickfix`, instead of `pickfix run`'
complete -c pickfix -n "__fish_pickfix_using_subcommand init" -s h -l help -d 'Show help: `-h` in short, `--help` in full'
complete -c pickfix -n "__fish_pickfix_using_subcommand init" -l strict-config -d 'End with status 2 if the file of settings is wrong, instead of a warning'
complete -c pickfix -n "__fish_pickfix_using_subcommand finder" -s h -l help -d 'Show help: `-h` in short, `--help` in full'
complete -c pickfix -n "__fish_pickfix_using_subcommand finder" -l strict-config -d 'End with status 2 if the file of settings is wrong, instead of a warning'
complete -c pickfix -n "__fish_pickfix_using_subcommand completions" -s h -l help -d 'Show help: `-h` in short, `--help` in full'
complete -c pickfix -n "__fish_pickfix_using_subcommand completions" -l strict-config -d 'End with status 2 if the file of settings is wrong, instead of a warning'
complete -c pickfix -n "__fish_pickfix_using_subcommand man" -s h -l help -d 'Show help: `-h` in short, `--help` in full'
complete -c pickfix -n "__fish_pickfix_using_subcommand man" -l strict-config -d 'End with status 2 if the file of settings is wrong, instead of a warning'
complete -c pickfix -n "__fish_pickfix_using_subcommand help" -s h -l help -d 'Show help: `-h` in short, `--help` in full'
complete -c pickfix -n "__fish_pickfix_using_subcommand help" -l strict-config -d 'End with status 2 if the file of settings is wrong, instead of a warning'
complete -c pickfix -n "__fish_pickfix_using_subcommand explain" -l format -d 'Write text, markdown or json; text is the default, paged on a terminal' -r -f -a "text\t'For people'
markdown\t'For pages'
json\t'For programs'"
complete -c pickfix -n "__fish_pickfix_using_subcommand explain" -l color -d 'Colour pickfix\'s own text: auto (the default), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c pickfix -n "__fish_pickfix_using_subcommand explain" -l ascii -d 'Use ASCII characters only: `#|` instead of `▎`' -r -f -a "true\t''
false\t''"
complete -c pickfix -n "__fish_pickfix_using_subcommand explain" -l annotation -d 'How much to say of a failure: short (the default) or full' -r -f -a "short\t''
full\t''"
complete -c pickfix -n "__fish_pickfix_using_subcommand explain" -l width -d 'Wrap pickfix\'s own text at this column' -r
complete -c pickfix -n "__fish_pickfix_using_subcommand explain" -l rules -d 'Use the rules in this folder too; may be given several times' -r -F
complete -c pickfix -n "__fish_pickfix_using_subcommand explain" -s h -l help -d 'Show help: `-h` in short, `--help` in full'
complete -c pickfix -n "__fish_pickfix_using_subcommand explain" -l strict-config -d 'End with status 2 if the file of settings is wrong, instead of a warning'

function __fish_pickfix_ids
    string split ' ' 'celery-ack-timeout celery-beat-twice celery-broker-lost celery-broker-refuses celery-broker-unreachable celery-content-refused celery-failure-meta celery-get-in-task celery-no-result-backend celery-node-name-twice celery-not-json celery-pidfile celery-plain-process celery-pool-on-windows celery-soft-time-limit celery-task-terminated celery-task-unregistered celery-time-limit celery-worker-lost celery-worker-not-up async-save-backend dcp-error-hidden dcp-load-mismatch fsdp-not-sharded fsdp-optimizer-differs fsdp-save-only-model megatron-shards-overlap model-parallel-size optimizer-not-consolidated recompute-partitioned resume-other-gpu-count state-dict-prefix weights-not-gathered zero-other-world-size compile-cache-race compile-worker-died cublas-failed cuda-cpu-only-build cuda-device-assert cuda-driver cuda-exclusive-mode cuda-fork cuda-generator-device cuda-hardware cuda-illegal-memory-access cuda-ipc-producer-gone cuda-ipc-refused cuda-kernel-timeout cuda-no-kernel-image cuda-out-of-memory cuda-tensor-in-worker cuda-tensor-sent-on cudnn-failed gpu-number-unseen hpu-not-acquired rocm-devices-hidden-twice rocm-no-gpu vllm-gpu-memory augmenter-worker-ended batch-sampler-class collate-size-mismatch dataloader-option-conflict dataloader-worker-exception dgl-shared-memory-left hdf5-locked hdf5-shared-handle iterable-duplicated keras-generator-shared loader-dropped-early loader-few-workers loader-many-workers loader-out-of-memory netcdf-in-threads pin-memory-thread-exited pinned-memory-refused sample-is-none shared-tensor-owner-gone shared-tensor-temporary-at-spawn shm-manager-failed tk-in-worker too-many-open-files worker-cleanup-assert worker-exited worker-hang worker-killed worker-segfault worker-shared-memory worker-timeout backend-lacks-operation barrier-device-ids barrier-guesses-gpu batch-not-divisible batchnorm-one-sample collective-mismatch collective-not-contiguous collective-not-tensor collective-sizes collective-type collective-wrong-device data-parallel-cpu data-parallel-device data-parallel-gather data-parallel-inplace data-parallel-replica ddp-bucket-view ddp-device-ids ddp-lazy-module ddp-marked-ready-twice ddp-model-mismatch ddp-nothing-to-train ddp-optimizer-higher-order ddp-unused-parameters deepspeed-batch-size deepspeed-config-differs deepspeed-one-model device-map-in-ranks device-mesh-names device-mesh-size dispatched-batches-differ dtensor-mixed dtensor-operator engine-start-failed fsdp-cannot-shard fsdp-device fsdp-inference-mode fsdp-meta-parameters fsdp-mixed-parameters fsdp-optimizer-first fsdp-root fsdp-wrapped-twice fsdp-writeback-shape fsdp2-prepare-together gloo-connect gloo-interface gloo-loopback gpus-without-p2p hccl-connect hccl-error hccl-timeout horovod-rank-gone init-arguments jax-collective-stuck jax-devices-differ jax-initialize-late jax-process-gone jax-process-missing jax-shape-not-divisible launcher-signalled lightgbm-network mpi-call-failed mpi-fork mpi-init-failed mpi-message-truncated mpi-not-built-in mpi-peer-gone mpi-rank-missing mpi-scatter-count mpi-unsendable-buffer nccl-cuda-failure nccl-efa nccl-gpu-memory-refused nccl-imex nccl-infiniband nccl-interface nccl-not-built-in nccl-peer-unreachable nccl-topology nccl-version-mismatch npu-in-use object-collective-garbled oneccl-local-rank oneccl-missing pipeline-stage-shapes process-group-not-destroyed process-group-twice rank-not-in-group rank-number-too-large rank-uses-two-gpus rank-without-batches ranks-address-in-use ranks-child-failed ranks-child-signal ranks-collective-timeout ranks-duplicate-gpu ranks-gradients-differ ranks-nccl-error ranks-nccl-shared-memory ranks-not-initialized ranks-rendezvous ranks-same-folder rendezvous-url rpc-infiniband rpc-not-initialized rpc-peer-gone server-child-failed sharded-parameter-used store-connection-lost store-of-another-job store-server-gone symmetric-memory sync-batchnorm-device tf-empty-batch tf-other-scope tf-outside-replica tf-strategy-late tf-task-lost torch-without-distributed trainer-optimizer-passed training-step-skipped vllm-weight-group-left webdataset-nodesplitter wrapped-model-attribute zero-inference-stage zero-mixed-parameters zero-no-sync zero-parameter-in-use zero-prefetch-left zero-untested-optimizer container-out-of-memory job-out-of-memory kernel-out-of-memory mpi-process-crashed program-bus-error program-crashed program-killed program-terminated run-bus-error run-crashed run-killed run-out-of-memory asyncio-other-loop database-connection-shared database-connections-used-up fsspec-fork grpc-fork lmdb-environment-shared mongo-client-shared sqlite-locked tls-connection-shared worker-connection-stale airflow-command-failed airflow-processor-ended airflow-task-killed airflow-task-lost airflow-task-taken-away airflow-timed-out coverage-data-shared dagster-daemon-twice dask-cannot-connect dask-cannot-tokenize dask-connection-closed dask-deserialize-failed dask-killed-worker dask-scheduler-lost dask-unserializable dask-versions-differ dask-worker-died dask-worker-memory dask-worker-not-started dill-too-old django-parallel-tests evaluate-shared-files hf-datasets-map-died hf-datasets-unhashable ipyparallel-engine-died ipyparallel-names-missing ipyparallel-no-engines joblib-core-count joblib-error-hidden joblib-nested joblib-read-only-array joblib-resource-tracker joblib-task-unserialize joblib-temp-file-warning joblib-temp-folder-busy joblib-temp-folder-full joblib-unpicklable joblib-worker-no-module joblib-worker-stopped joblib-worker-terminated ray-actor-name ray-called-directly ray-cannot-schedule ray-environment-failed ray-function-too-large ray-get-timeout ray-gpus-missing ray-graph-timeout ray-head-unreachable ray-import-failed ray-init-twice ray-no-cluster ray-node-died ray-not-connected ray-object-lost ray-object-store-full ray-out-of-disk ray-owner-died ray-serve-failed ray-start-timeout ray-train-failed ray-unserializable ray-version-mismatch ray-worker-arguments ray-worker-died spark-cloudpickle-too-old spark-executor-lost spark-missing-library spark-no-java spark-python-mismatch spark-unserializable spark-worker-crashed spark-worker-no-connection streamlit-unserializable tokenizers-fork xdist-different-tests xdist-unserializable xdist-worker-crashed xdist-worker-error accelerate-logger-early accelerate-options accelerator-already-set deepspeed-device-choice deepspeed-hostfile deepspeed-node-unreachable deepspeed-without-launcher fabric-not-launched horovod-backend-missing horovod-not-initialized launcher-docker-host launcher-gpu-count launcher-libuv launcher-local-rank launcher-missing launcher-options lightning-gpu-missing lightning-local-rank lightning-slurm-tasks lightning-strategy mpi-as-root one-gpu-only parallel-sizes slurm-step-failed tpu-addresses tpu-hosts tpu-in-use tpu-process-count tpu-used-before-spawn vllm-tensor-parallel vllm-too-few-gpus yolo-gpu-missing cuda-library-missing cuda-library-mixed distributed-other-torch extension-other-torch mpi-library-missing multiprocess-too-old numpy-loaded-twice nvcc-missing nvcc-other-cuda nvml-driver-mismatch torchvision-other-torch worker-out-of-memory dill-names-missing kernel-died notebook-launcher-accelerator notebook-strategy mkl-threading-layer numba-tbb-fork numba-workqueue-threads openmp-after-fork openmp-twice thread-limit ctypes-not-shared deepcopy-non-leaf-tensor frozen-slots-dataclass interpreter-not-shareable pickle-changed-during-iteration pickle-exception-args pickle-getattr-dunder pickle-lookup-failed pickle-new-args pickle-non-leaf-tensor pickle-not-same-object pickle-recursion pickle-stand-in pickle-too-large unpicklable-database unpicklable-event-loop unpicklable-extension unpicklable-file unpicklable-frame unpicklable-generator unpicklable-h5py unpicklable-lambda unpicklable-local-object unpicklable-lock unpicklable-module unpicklable-mp-primitive unpicklable-object unpicklable-proxy unpicklable-socket unpicklable-span unpicklable-torch-handle unpicklable-view unpicklable-weakref wrapped-model-copied asyncio-default-executor broken-process-pool pebble-process-died pool-initializer-failed pool-not-running pool-result-encoding pool-result-thread-died result-not-fetched worker-arguments worker-crashed ansible-worker-dead django-q-worker-replaced dramatiq-time-limit gevent-patched-late gunicorn-worker-boot gunicorn-worker-crashed gunicorn-worker-killed gunicorn-worker-timeout log-rotation-race log-rotation-windows mod-wsgi-no-answer odoo-live-port odoo-time-limit prometheus-file-damaged reactor-restarted salt-process-died sanic-worker-not-up server-child-ended supervised-program-ended task-function-in-main task-process-died tgi-needs-flash trl-server-unreachable uvicorn-child-died uvicorn-inside-process uvicorn-windows-workers uwsgi-worker-died asyncio-child-watcher asyncio-loop-without-processes connection-closed-here connection-key-mismatch daemonic-children django-not-set-up fork-cannot-allocate-memory fork-macos-objc fork-with-threads frozen-without-freeze-support gil-switched-on global-not-set-in-worker gym-env-not-registered leaked-semaphores lock-lost-its-context lock-released-too-often main-without-spec manager-autoproxy manager-object-gone manager-proxy-attribute manager-proxy-in-child missing-main-guard mixed-start-methods module-not-in-subinterpreter mp-context-keyword mp-semaphore-gone no-semaphores os-fork-missing own-multiprocessing-file peer-process-gone pipe-wrong-direction pool-of-no-processes process-handle-wrong-parent process-init-missing process-object-misused queue-closed queue-size-on-macos resource-tracker-died resource-tracker-not-child shareable-list-item-grew shared-memory-empty shared-memory-exists shared-memory-gone shared-memory-in-use shared-memory-removed-twice socket-path-too-long spawn-broken-pipe spawn-main-import-failed spawn-no-main-file start-method-already-set start-method-unavailable subinterpreter-forbids vector-env-pending windows-paging-file windows-spawn-handle windows-worker-limit join-before-get pool-result-timeout pool-waits-for-result queue-get-timeout queue-get-waits run-stalled attribute-left-out pickled-code-mismatch sklearn-version-differs torch-load-not-a-checkpoint torch-weights-only unpickle-corrupt unpickle-forbidden-global unpickle-method-name unpickle-missing-attribute unpickle-missing-module unpickle-not-a-class unpickle-private-method unpickle-protocol unpickle-ran-out-of-input unpickle-rebuild-failed'
end
complete -c pickfix -n "__fish_pickfix_using_subcommand explain" -f -a "(__fish_pickfix_ids)"
