"""The LLM judge: asked about stored outcomes, read strictly, and itself measured.

question, prompt, left      what is asked: pure, from a case, the ledger and stored artifacts
wires, client, retry        how it is asked
reply, criteria             how a reply is read: rightly or not at all
config, panel               which models, and what they come to
pairwise, pairs             two outcomes side by side; pairs that people have labelled
accuracy, calibrate         how far a judge can be trusted
"""
